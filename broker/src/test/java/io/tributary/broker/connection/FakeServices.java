package io.tributary.broker.connection;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.SessionTakeover;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Makes services for tests of connections: everybody may do everything. */
public final class FakeServices {
    private FakeServices() {}

    /** Services on top of a backend, which will deliver to them. */
    public static ConnectionServices on(FakeBackend backend) {
        return on(backend, ClientRules.NONE, Extensions.NONE);
    }

    /** The same, with rules of which clients are applications, and with extensions. */
    public static ConnectionServices on(FakeBackend backend, ClientRules rules, Extensions extensions) {
        Authenticator everybody = (client, password) -> CompletableFuture.completedFuture(new Authenticator.Accepted());
        return new ConnectionServices(
                "node",
                backend.parts,
                new AccessControl(everybody, Map.of(), Authorizer.allowAll(), rules, SessionTakeover.PRINCIPAL),
                extensions,
                ClientRecorder.NONE,
                InstantSource.system());
    }
}
