package io.tributary.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SysTopicsDocsTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\$SYS/[^`]+)` \\|");
    private static final Flow FLOW = new Flow(0, 0);

    @Test
    void tableHasTheTopicsThatThereAre() throws Exception {
        Set<String> documented = new TreeSet<>();
        ROW.matcher(Files.readString(Path.of("..", "docs", "sys-topics.md")))
                .results()
                .forEach(row -> documented.add(row.group(1)));
        assertThat(documented).isEqualTo(published());
    }

    private static Set<String> published() {
        Set<String> published = new TreeSet<>();
        AtomicLong nanoTime = new AtomicLong();
        Subscribed none = new Subscribed(0, 0);
        SysStats stats = new SysStats(
                new Clients(0, 0, 0, 0), new Traffic(0, FLOW, FLOW, 0, 0, FLOW), new StoredStats(0, none, none, 0));
        ClusterStats.Node here = new ClusterStats.Node("NAME", "live", new NodeStats("v", 0, stats, 0));
        ClusterStats cluster = new ClusterStats(here, List.of(), List.of(), 1, 1, 0);
        SysTopics topics = new SysTopics(
                SysConfig.every(Duration.ofSeconds(10)),
                () -> cluster,
                message -> published.add(message.topic().replaceFirst("/\\d+min$", "/+")),
                nanoTime::get);
        topics.update();
        nanoTime.addAndGet(Duration.ofSeconds(10).toNanos()); // loads are known from the second round on
        topics.update();
        return published;
    }
}
