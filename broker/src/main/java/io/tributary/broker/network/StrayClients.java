package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.tributary.common.time.LineAMinute;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Clients of one listener that are set up for something else, such as a browser at the port of MQTT: the log names one
 * of them a minute, and how many there were. Any thread.
 */
final class StrayClients {
    private final String listener;
    private final String takes;
    private final Consumer<String> log;
    private final LineAMinute lines;

    /** Creates those of a listener; none has come yet. */
    StrayClients(ListenerConfig config, LongSupplier nanoClock, Consumer<String> log) {
        listener = config.name();
        takes = takes(config.kind());
        this.log = log;
        lines = new LineAMinute(nanoClock);
    }

    /** What clients of the listener should speak, in words. */
    String takes() {
        return takes;
    }

    /**
     * One came.
     *
     * @param did what it did, such as {@code spoke HTTP}; not in words of its own, for what it sends has no place in
     *     the log
     */
    void came(Channel client, String did) {
        String others = lines.happened();
        if (others != null) {
            log.accept("a client " + did + " on the listener " + listener + ", which takes " + takes + ": "
                    + ClientOrigin.text(client) + others);
        }
    }

    private static String takes(ListenerKind kind) {
        return switch (kind) {
            case ListenerKind.Tcp() -> "MQTT over TCP";
            case ListenerKind.WebSocket(String path) -> "MQTT over WebSocket at " + path;
        };
    }
}
