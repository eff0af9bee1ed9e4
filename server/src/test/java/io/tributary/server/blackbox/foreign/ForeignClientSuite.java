package io.tributary.server.blackbox.foreign;

import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.foreign.ForeignClient.Setup;
import io.tributary.server.blackbox.foreign.ForeignClient.Transport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.provider.Arguments;

/**
 * What the suites of foreign clients share: one library over one transport, names that no other test uses, and an end
 * for all that was opened. With {@code -Dforeign.libraries=regular-expression} only the libraries whose names match.
 */
@ExtendWith(BrokerExtension.class)
abstract class ForeignClientSuite {
    static final int LONG_EXPIRY_SECONDS = 3_600;

    private static final AtomicInteger NAMES = new AtomicInteger();

    final Library library;
    final Transport transport;

    /** Begins every topic and client identifier of the test. */
    final String name;

    private final BrokerProcess broker;
    private final List<AutoCloseable> open = new ArrayList<>();

    ForeignClientSuite(Library library, Transport transport, BrokerProcess broker) {
        this.library = library;
        this.transport = transport;
        this.broker = broker;
        name = "foreign" + NAMES.incrementAndGet();
    }

    /**
     * Each library over TCP, those of MQTT 5 over WebSocket too, and one of the others over TLS; each over all with
     * {@code -Dforeign.transports=all}.
     */
    static Stream<Arguments> overEachTransport(Predicate<Library> selection) {
        String wanted = System.getProperty("foreign.libraries", ".*");
        boolean all = System.getProperty("foreign.transports", "").equals("all");
        return Arrays.stream(Library.values())
                .filter(selection)
                .filter(library -> library.name().matches(wanted))
                .flatMap(library -> Arrays.stream(Transport.values())
                        .filter(transport -> all || isPlayed(library, transport))
                        .map(transport -> Arguments.of(library, transport)));
    }

    /** WebSocket frames are each library's own; TLS is that of its language, and Java's has tests of the broker. */
    private static boolean isPlayed(Library library, Transport transport) {
        return switch (transport) {
            case TCP -> true;
            case WEB_SOCKET -> library.speaksMqtt5();
            case TLS_WITH_PASSWORD -> library == Library.PAHO_PYTHON_3;
        };
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    final ForeignClient connected(String role) throws Exception {
        ForeignClient client = open(setup(role, true, 0, null));
        client.connect();
        return client;
    }

    /** Leaves no session behind in the broker that others use too. */
    final void forgetSession(String role) throws Exception {
        ForeignClient client = connected(role);
        client.disconnect();
    }

    final Setup setup(String role, boolean clean, int expirySeconds, @Nullable Note will) {
        return new Setup(name + role, port(), transport, clean, expirySeconds, 60, 0, will);
    }

    final ForeignClient open(Setup setup) throws Exception {
        ForeignClient client = library.create(setup);
        open.add(client);
        return client;
    }

    final Cable cable() throws Exception {
        Cable cable = new Cable(port());
        open.add(cable);
        return cable;
    }

    final int port() {
        return port(broker, transport);
    }

    /** @param broker the one that takes everybody */
    static int port(BrokerProcess broker, Transport transport) {
        return switch (transport) {
            case TCP -> broker.tcpPort();
            case WEB_SOCKET -> broker.webSocketPort();
            case TLS_WITH_PASSWORD -> SecuredBroker.port();
        };
    }
}
