package io.tributary.server.settings;

import io.tributary.cluster.node.NodeTableConfig;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How nodes notice that one is gone. The same on all nodes.
 *
 * @param heartbeat How often a node writes that it is there.
 * @param suspicion How long a node may be silent before its shards go to others, while it may be alive: at least three
 *     heartbeats, at most {@code silence}. A node whose process has ended is noticed at once.
 * @param silence How long a node may be silent before it is declared dead: at least three heartbeats, and more than
 *     {@code late} and a heartbeat.
 * @param late How long a node's own heartbeat may take to come back to it; while it takes longer, the silence of others
 *     does not count.
 * @param watch How long a process that finds its own name in use looks on before it takes the name over: at least two
 *     heartbeats.
 * @param isolation How long a node that cannot reach Kafka keeps its clients while it cannot reach another node either,
 *     which may have declared it dead: at least {@code silence}.
 */
public record NodeTableSettings(
        @DefaultValue("250ms") @Allowed(min = "10ms", max = "1m")
        Duration heartbeat,

        @DefaultValue("2s") @Allowed(min = "30ms", max = "1h")
        Duration suspicion,

        @DefaultValue("5s") @Allowed(min = "30ms", max = "1h")
        Duration silence,

        @DefaultValue("1s") @Allowed(min = "10ms", max = "1h")
        Duration late,

        @DefaultValue("3s") @Allowed(min = "20ms", max = "1h")
        Duration watch,

        @DefaultValue("30s") @Allowed(min = "30ms", max = "1h")
        Duration isolation) {

    NodeTableConfig config(String name) {
        if (silence.compareTo(heartbeat.multipliedBy(3)) < 0) {
            throw new SettingException(
                    name + ".silence",
                    "'" + Units.text(silence) + "' is less than three times heartbeat, which is "
                            + Units.text(heartbeat));
        }
        if (suspicion.compareTo(heartbeat.multipliedBy(3)) < 0 || suspicion.compareTo(silence) > 0) {
            throw new SettingException(
                    name + ".suspicion",
                    "'" + Units.text(suspicion) + "' is less than three times heartbeat, which is "
                            + Units.text(heartbeat) + ", or more than silence, which is " + Units.text(silence));
        }
        if (late.plus(heartbeat).compareTo(silence) >= 0) {
            throw new SettingException(
                    name + ".late",
                    "'" + Units.text(late) + "' and heartbeat, " + Units.text(heartbeat)
                            + ", are together not less than silence, which is " + Units.text(silence));
        }
        if (watch.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new SettingException(
                    name + ".watch",
                    "'" + Units.text(watch) + "' is less than twice heartbeat, which is " + Units.text(heartbeat));
        }
        if (isolation.compareTo(silence) < 0) {
            throw new SettingException(
                    name + ".isolation",
                    "'" + Units.text(isolation) + "' is less than silence, which is " + Units.text(silence));
        }
        return SettingException.naming(
                name, () -> new NodeTableConfig(heartbeat, suspicion, silence, late, watch, isolation));
    }
}
