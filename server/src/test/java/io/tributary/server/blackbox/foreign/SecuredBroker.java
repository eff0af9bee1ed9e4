package io.tributary.server.blackbox.foreign;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.Secured;
import java.nio.file.Path;
import java.util.List;

/**
 * A broker that takes nobody over TCP without TLS and a password. It is started for the first test that asks, and ends
 * with this JVM.
 */
final class SecuredBroker {
    private static final Path FOLDER = Scratch.folder("secured");
    private static final Secured SECURED = Secured.in(FOLDER);
    private static final BrokerProcess BROKER = BrokerProcess.start(FOLDER, List.of("-Xmx256m"), SECURED.settings());

    private SecuredBroker() {}

    static int port() {
        return BROKER.tcpPort();
    }

    /** What clients need. */
    static Secured secured() {
        return SECURED;
    }
}
