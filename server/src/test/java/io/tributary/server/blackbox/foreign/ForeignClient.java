package io.tributary.server.blackbox.foreign;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One client of a library that others wrote. Every operation waits, with a bound, until the broker has answered; reason
 * codes are those of MQTT 5, and 0 where MQTT 3 has none.
 */
abstract class ForeignClient implements AutoCloseable {
    static final int PATIENCE_SECONDS = 20;

    /** The broker closed the connection, or it broke, without a reason code. */
    static final int NO_REASON = -1;

    private final BlockingQueue<Note> inbox = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();

    /**
     * How a client connects.
     *
     * @param port of the broker, or of a cable to it
     * @param clean clean start, in MQTT 3 clean session
     * @param expirySeconds the session expiry interval of MQTT 5
     * @param aliases how many topic aliases it takes and, where the library lets one say so, uses
     */
    record Setup(
            String clientId,
            int port,
            Transport transport,
            boolean clean,
            int expirySeconds,
            int keepAliveSeconds,
            int aliases,
            @Nullable Note will) {
        static final String HOST = "127.0.0.1";
        static final String PATH = "/mqtt";

        /** Whether it goes to {@link SecuredBroker}. */
        boolean isSecured() {
            return transport == Transport.TLS_WITH_PASSWORD;
        }

        String url() {
            String address = HOST + ":" + port;
            return switch (transport) {
                case TCP -> "tcp://" + address;
                case TLS_WITH_PASSWORD -> "ssl://" + address;
                case WEB_SOCKET -> "ws://" + address + PATH;
            };
        }
    }

    /** What is below MQTT. */
    enum Transport {
        TCP,
        WEB_SOCKET,
        TLS_WITH_PASSWORD
    }

    /** Connects, once in a client's life; says whether the broker still had the session. */
    abstract boolean connect() throws Exception;

    /** Subscribes, and gives the granted QoS or why not. */
    abstract int subscribe(String filter, int qos) throws Exception;

    abstract int unsubscribe(String filter) throws Exception;

    /** Publishes and waits for the end of the exchange. */
    abstract int publish(Note note) throws Exception;

    abstract void disconnect() throws Exception;

    /** The next message that came. */
    Note receive() throws InterruptedException {
        Note note = inbox.poll(PATIENCE_SECONDS, SECONDS);
        if (note == null) {
            throw new AssertionError("no message came in " + PATIENCE_SECONDS + " s");
        }
        return note;
    }

    /** The messages that came and were not asked for. */
    BlockingQueue<Note> inbox() {
        return inbox;
    }

    /** Waits until the connection has ended without {@link #disconnect}; gives the broker's reason code. */
    int awaitEnd() throws Exception {
        return ended.get(PATIENCE_SECONDS, SECONDS);
    }

    boolean isConnected() {
        return !ended.isDone();
    }

    /** A library's callback: a message came. */
    final void arrived(Note note) {
        inbox.add(note);
    }

    /** A library's callback: the connection is gone. */
    final void lost(int reason) {
        ended.complete(reason);
    }

    /** Frees what the library holds, whatever state it is in. */
    @Override
    public abstract void close();
}
