package io.tributary.server.settings;

import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.persistence.ingest.IngestOptions;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What back-ends publish by producing records to topics of Kafka, in a cluster. With {@code tributary.mode=standalone},
 * a setting of this group stops the start.
 *
 * @param topics The topics that back-ends produce to, with commas between, the same on all nodes. They must exist.
 *     Without a value, nothing is read.
 * @param publisher The client identifier as which the authorizer is asked whether a record may be published, and
 *     which no client may have.
 * @param deadLetters The topic to which records are copied that are no messages. It must exist. Without a value, they
 *     are only counted and logged.
 * @param maxRecords How many records of one partition may be under way at once.
 * @param maxSize How large these may be together, without overhead.
 */
public record IngestSettings(
        @Nullable String topics,
        @DefaultValue(IngestConfig.DEFAULT_PUBLISHER) String publisher,
        @Nullable String deadLetters,

        @DefaultValue("1000") @Allowed(min = "1", max = "10000")
        int maxRecords,

        @DefaultValue("4MB") @Allowed(min = "1KB", max = "1GB")
        DataSize maxSize) {

    /** What the core is told; null when nothing is to be read. */
    @Nullable
    IngestConfig config(String name) {
        if (topics == null || topics.isBlank()) {
            if (deadLetters != null) {
                throw new SettingException(name + ".dead-letters", "has no effect without " + name + ".topics");
            }
            return null;
        }
        if (publisher.isBlank()) {
            throw new SettingException(name + ".publisher", "must not be empty");
        }
        List<String> names = Stream.of(topics.split(",", -1)).map(String::strip).toList();
        String dead = deadLetters == null || deadLetters.isBlank() ? null : deadLetters.strip();
        return SettingException.naming(
                name, () -> new IngestConfig(publisher, new IngestOptions(names, dead, maxRecords, maxSize.toBytes())));
    }
}
