package io.tributary.server.settings;

import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.cluster.node.Formats;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What makes the broker a node of a cluster. With {@code tributary.mode=standalone}, a setting of this group or of
 * those below it stops the start.
 *
 * @param id The name of the cluster, the same on all its nodes: 1 to 100 letters, digits, `.`, `_`, `-`. Nodes of
 *     another name are refused, and the names of Kafka's topics begin with it.
 * @param shards The number of shards, the same on all nodes: a few for each thread that will ever run shards, no more.
 *     Only `tributary cluster reshard` changes it, while no node runs.
 * @param retention How long the shards' logs in Kafka are kept at least: longer than the cluster may be down, and than
 *     Redis may go back in time. All sessions are logged again four times in that time, so that a lost Redis is rebuilt
 *     from the logs.
 * @param formats When the nodes of a new version write its new formats: `automatic`, as soon as all live nodes read
 *     them; `hold`, after `tributary upgrade finish`, and until then each node can go back to the version before.
 * @param kafka how Kafka is used
 * @param applications the topics of applications
 * @param redis how Redis is used
 * @param link how nodes are connected with each other
 * @param nodes how nodes notice that one is gone
 * @param visibility how nodes wait for each other
 */
public record ClusterSettings(
        @DefaultValue("tributary") String id,

        @DefaultValue("24") @Allowed(min = "1", max = "16384")
        int shards,

        @DefaultValue("7d") @Allowed(min = "1m", max = "3650d")
        Duration retention,

        @DefaultValue("automatic") Formats formats,
        @DefaultValue KafkaSettings kafka,
        @DefaultValue AppTopicsSettings applications,
        @DefaultValue RedisSettings redis,
        @DefaultValue LinkSettings link,
        @DefaultValue NodeTableSettings nodes,
        @DefaultValue VisibilitySettings visibility) {

    private static final Pattern ID = Pattern.compile("[a-zA-Z0-9._-]{1,100}");

    /**
     * What the core is told.
     *
     * @param largestPacketBytes the largest packet that any listener takes
     * @param ingest what back-ends may publish, or null for nothing
     */
    ClusterConfig config(String name, int largestPacketBytes, @Nullable IngestConfig ingest) {
        if (!ID.matcher(id).matches()) {
            throw new SettingException(name + ".id", "'" + id + "' is not 1 to 100 letters, digits, '.', '_', '-'");
        }
        return SettingException.together(
                () -> clusterConfig(name, largestPacketBytes, ingest),
                List.of(
                        () -> kafka.config(name + ".kafka", id, shards, largestPacketBytes),
                        () -> applications.config(name + ".applications"),
                        () -> redis.config(name + ".redis"),
                        () -> link.config(name + ".link", id),
                        () -> link.tls().layer(name + ".link.tls"),
                        () -> nodes.config(name + ".nodes"),
                        () -> visibility.config(name + ".visibility")));
    }

    private ClusterConfig clusterConfig(String name, int largestPacketBytes, @Nullable IngestConfig ingest) {
        return SettingException.naming(
                name,
                () -> ClusterConfig.builder(
                                kafka.config(name + ".kafka", id, shards, largestPacketBytes),
                                redis.config(name + ".redis"),
                                link.config(name + ".link", id))
                        .shards(shards)
                        .retention(retention)
                        .formats(formats)
                        .applications(applications.config(name + ".applications"))
                        .linkLayer(link.tls().layer(name + ".link.tls"))
                        .advertisedHost(link.advertisedHost())
                        .advertisedPort(link.advertisedPort())
                        .nodes(nodes.config(name + ".nodes"))
                        .visibility(visibility.config(name + ".visibility"))
                        .ingest(ingest)
                        .build());
    }
}
