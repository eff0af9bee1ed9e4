package io.tributary.server.blackbox.cluster;

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
 * @param traffic of the clients
 */
record FaultContext(TestCluster cluster, Random random, Duration pause, Duration outage, Traffic traffic) {

    /** What goes through the cluster meanwhile. */
    interface Traffic {
        /** Waits until a good many more messages went through. */
        void await();

        /**
         * Has all clients of applications there, and stops what is published until {@link #goOn}; waits until nothing
         * is under way.
         */
        void calm();

        /** Goes on publishing. */
        void goOn();

        /** Sends a little through each shard, of clients that nobody misses. */
        void probe();
    }

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
        traffic.await();
    }
}
