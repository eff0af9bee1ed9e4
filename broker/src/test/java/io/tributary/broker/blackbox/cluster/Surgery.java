package io.tributary.broker.blackbox.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * What faults are done with.
 *
 * @param cluster that is harmed
 * @param random chooses which part
 * @param pause for how long a node stands still
 * @param outage for how long Redis does
 * @param traffic waits until a good many more messages went through
 */
record Surgery(TestCluster cluster, Random random, Duration pause, Duration outage, Runnable traffic) {

    String anyNode() {
        return any(cluster.names());
    }

    int anyKafkaBroker() {
        return 1 + random.nextInt(cluster.kafka().size());
    }

    <T> T any(List<T> things) {
        return things.get(random.nextInt(things.size()));
    }

    RedisShard anyRedisShard() {
        return RedisShard.any(cluster.redis(), random);
    }

    void awaitTraffic() {
        traffic.run();
    }
}
