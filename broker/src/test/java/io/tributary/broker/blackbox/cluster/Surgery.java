package io.tributary.broker.blackbox.cluster;

import java.time.Duration;
import java.util.Random;

/**
 * What faults are done with.
 *
 * @param cluster that is harmed
 * @param random chooses which part
 * @param pause for how long a node stands still
 * @param traffic waits until a good many more messages went through
 */
record Surgery(TestCluster cluster, Random random, Duration pause, Runnable traffic) {

    String anyNode() {
        return cluster.names().get(random.nextInt(cluster.names().size()));
    }

    int anyKafkaBroker() {
        return 1 + random.nextInt(cluster.kafka().size());
    }

    RedisShard anyRedisShard() {
        return RedisShard.any(cluster.redis(), random);
    }

    void awaitTraffic() {
        traffic.run();
    }
}
