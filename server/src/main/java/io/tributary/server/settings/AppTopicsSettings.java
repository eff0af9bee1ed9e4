package io.tributary.server.settings;

import io.tributary.cluster.kafka.app.AppTopicsConfig;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The topics in Kafka in which the messages of applications wait.
 *
 * @param consumers How many of Kafka's consumers a node has for all its applications; one more reads up what clients
 *     missed in the shared topic.
 * @param retention How long an application's own topic keeps what is not acknowledged; 0 for ever. What is older is
 *     lost to the application, and counted. For topics that are made from then on.
 * @param keepAcknowledged Whether what an application has acknowledged stays in its topic until its time is over, for
 *     other programs to read. Needs a retention.
 * @param sharedPartitions How many partitions the topic has that applications with little traffic share; fixed when it
 *     is created.
 * @param sharedRetention How long that topic keeps everything. What is older is lost to the application. Set when it is
 *     created.
 * @param readAhead How much all applications of a node may have read ahead of what they were sent.
 */
public record AppTopicsSettings(
        @DefaultValue("2") @Allowed(min = "1", max = "64") int consumers,

        @DefaultValue("0s") @Allowed(min = "0s") Duration retention,
        @DefaultValue("false") boolean keepAcknowledged,

        @DefaultValue("16") @Allowed(min = "1", max = "10000")
        int sharedPartitions,

        @DefaultValue("7d") @Allowed(min = "1m") Duration sharedRetention,

        @DefaultValue("64MB") @Allowed(min = "1MB", max = "16GB")
        DataSize readAhead) {

    private static final Duration CLEANING_INTERVAL = Duration.ofSeconds(10);

    AppTopicsConfig config(String name) {
        if (keepAcknowledged && retention.isZero()) {
            throw new SettingException(
                    name + ".keep-acknowledged",
                    "'true' needs a " + name + ".retention above 0: topics would grow for ever");
        }
        return SettingException.naming(
                name,
                () -> new AppTopicsConfig(
                        consumers,
                        sharedPartitions,
                        retention.isZero() ? null : retention,
                        sharedRetention,
                        keepAcknowledged,
                        readAhead.toBytes(),
                        CLEANING_INTERVAL));
    }
}
