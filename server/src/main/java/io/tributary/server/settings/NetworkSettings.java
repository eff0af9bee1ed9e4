package io.tributary.server.settings;

import io.tributary.broker.network.NetworkConfig;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the sockets of all listeners are run.
 *
 * @param eventLoops The number of event loops; 0 for one a core.
 * @param backlog How many connections the system keeps that are not accepted yet.
 * @param writeLow Messages are written again when less than this waits in a socket's buffer.
 * @param writeHigh No message is written while more than this waits in a socket's buffer.
 * @param maxStall How long a client may read nothing while messages wait for it; 0 for ever.
 * @param linger How long a connection that is being closed is given to take its last packet.
 */
public record NetworkSettings(
        @DefaultValue("0") @Allowed(min = "0", max = "1024") int eventLoops,
        @DefaultValue("1024") @Allowed(min = "1") int backlog,

        @DefaultValue("32KB") @Allowed(min = "1KB", max = "1GB")
        DataSize writeLow,

        @DefaultValue("64KB") @Allowed(min = "1KB", max = "1GB")
        DataSize writeHigh,

        @DefaultValue("0s") @Allowed(min = "0s") Duration maxStall,
        @DefaultValue("2s") @Allowed(min = "1ms") Duration linger) {

    void change(String group, NetworkConfig.Builder to) {
        if (writeLow.compareTo(writeHigh) > 0) {
            throw new SettingException(
                    group + ".write-low",
                    "'" + Units.text(writeLow) + "' is more than write-high, which is " + Units.text(writeHigh));
        }
        to.eventLoops(eventLoops)
                .backlog(backlog)
                .writeLow((int) writeLow.toBytes())
                .writeHigh((int) writeHigh.toBytes())
                .maxStall(maxStall)
                .linger(linger);
    }
}
