package io.tributary.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.Messages;
import io.tributary.broker.routing.RouterFixture;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.Flow;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The {@code $SYS} topics on a real router and real retained messages. */
class SysTopicsRoutingTest {
    private static final String CONNECTED = "$SYS/broker/clients/connected";

    private final RouterFixture fixture = new RouterFixture();
    private long connected = 3;
    private List<String> silent = List.of("n2");
    private final SysTopics topics =
            new SysTopics(SysConfig.every(Duration.ofSeconds(10)), this::stats, fixture.retained, fixture.router());

    @Test
    void laterSubscribersFindTheFiguresAsRetainedMessages() {
        topics.update();

        List<Message> found = fixture.retained.match(TopicFilter.parse("$SYS/broker/clients/+"), null, 100);
        assertThat(found).hasSize(5).allMatch(Message::retain);
        assertThat(found)
                .filteredOn(message -> message.topic().equals(CONNECTED))
                .extracting(Messages::text)
                .containsExactly("3");
    }

    @Test
    void laterSubscribersFindNothingOfANodeThatIsGone() {
        fixture.subscribe(new Subscriber("watcher", false, 1), "$SYS/cluster/nodes/n2/#", QoS.AT_MOST_ONCE);
        topics.update();
        silent = List.of();
        topics.update();

        assertThat(fixture.retained.match(TopicFilter.parse("$SYS/cluster/nodes/n2/#"), null, 100))
                .isEmpty();
        assertThat(fixture.deliveries)
                .extracting(delivered -> Messages.text(delivered.message().message()))
                .containsExactly("silent", "");
    }

    @Test
    void nothingIsStored() {
        topics.update();

        assertThat(fixture.retainedMap.written()).isEmpty();
    }

    @Test
    void earlierSubscribersGetWhatChanges() {
        fixture.subscribe(new Subscriber("watcher", false, 1), CONNECTED, QoS.AT_MOST_ONCE);
        fixture.subscribe(new Subscriber("everything", false, 2), "#", QoS.AT_MOST_ONCE); // [MQTT-4.7.2-1]
        topics.update();
        topics.update();
        connected = 4;
        topics.update();

        assertThat(fixture.deliveries)
                .extracting(delivered -> Messages.text(delivered.message().message()))
                .containsExactly("3", "4");
        assertThat(fixture.deliveries).extracting(RouterFixture.Delivered::to).containsOnly("1");
        assertThat(fixture.deliveries)
                .noneMatch(delivered -> delivered.message().retain());
    }

    private ClusterStats stats() {
        SysStats stats = new SysStats(
                new Clients(connected, 0, 9, 0),
                new Traffic(0, new Flow(0, 0), new Flow(0, 0), 0, 0, new Flow(0, 0)),
                new StoredStats(0, new Subscribed(0, 0), new Subscribed(0, 0), 0));
        ClusterStats.Node here = new ClusterStats.Node("n1", "live", new NodeStats("tributary 1", 5, stats, 0));
        return new ClusterStats(here, List.of(), silent, 2, 16, 0);
    }
}
