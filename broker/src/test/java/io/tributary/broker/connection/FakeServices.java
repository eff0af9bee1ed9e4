package io.tributary.broker.connection;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.BanList;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.common.event.Principal;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes services for tests of connections: everybody may do everything. */
public final class FakeServices {
    private FakeServices() {}

    /** Services on top of a backend, which will deliver to them. */
    public static ConnectionServices on(FakeBackend backend) {
        return on(backend, ClientRules.NONE, Extensions.NONE);
    }

    /** The same, with rules of which clients are applications, and with extensions. */
    public static ConnectionServices on(FakeBackend backend, ClientRules rules, Extensions extensions) {
        return new ConnectionServices(
                "node",
                backend.parts,
                new AccessControl(
                        FakeServices::everybody,
                        Map.of(),
                        Authorizer.allowAll(),
                        rules,
                        SessionTakeover.PRINCIPAL,
                        BanList.NONE),
                extensions,
                ClientRecorder.NONE,
                InstantSource.system());
    }

    /** A client with a certificate is called by the number of the certificate. */
    private static CompletionStage<Authenticator.Result> everybody(ClientInfo client, byte @Nullable [] password) {
        X509Certificate shown = client.certificate();
        Principal principal = shown == null
                ? Principal.ANONYMOUS
                : new Principal("certificates", shown.getSerialNumber().toString(), null, null, List.of(), null);
        return Authenticator.answer(new Authenticator.Accepted(null, principal, null, Map.of()));
    }
}
