package io.tributary.broker.shard;

import static io.tributary.broker.shard.SimFault.CLUSTER;
import static io.tributary.broker.shard.SimFault.CRASHES;
import static io.tributary.broker.shard.SimFault.TIME_TRAVEL;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * A log that loses records which it had acknowledged, as Kafka's does when all its servers lose power: the store may be
 * ahead of it. What the lost records said may be lost; what is acknowledged from then on is not, and the shards go on
 * by themselves.
 */
class LostTailTest {
    private static final String TOPIC = "named";
    private static final int HISTORIES = Integer.getInteger("simulation.tails", 30);

    @Test
    void whatIsAcknowledgedAfterwardsIsDeliveredWhenTheNodesLive() {
        int aheads = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            aheads += lose(seed, false);
        }
        assertThat(aheads)
                .as("histories in which the store was ahead of the log")
                .isPositive();
    }

    /**
     * The store has not got what the clients have: numbers of messages that a connection has taken are given to others.
     */
    @Test
    void whatIsAcknowledgedAfterwardsIsDeliveredWhenTheStoreWasAway() {
        for (int seed = 0; seed < HISTORIES; seed++) {
            SimWorld world = world(seed);
            try {
                loseUnsaved(world);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("history " + seed + ": " + e, e);
            }
        }
    }

    private static void loseUnsaved(SimWorld world) {
        world.join("subscriber", TOPIC, QoS.AT_LEAST_ONCE);
        SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
        world.pass(2000);
        world.store.failures(1);
        publish(world, publisher, 20);
        world.pass(world.clock.between(0, 1500));
        for (int shard = 0; shard < world.log.shards(); shard++) {
            world.loseTail(shard, world.clock.between(10, 20));
        }
        world.pass(world.clock.between(0, 300));
        world.store.failures(0);
        world.passUntil(world::isLive);
        publish(world, publisher, 40);
        world.finish();
    }

    @Test
    void whatIsAcknowledgedAfterwardsIsDeliveredWhenEverythingIsRestarted() {
        int aheads = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            aheads += lose(seed, true);
        }
        assertThat(aheads)
                .as("histories in which the store was ahead of the log")
                .isPositive();
    }

    /** Lives through one history; 1 if a store was ahead of its log. */
    private static int lose(long seed, boolean restart) {
        try {
            return lose(world(seed), restart);
        } catch (RuntimeException | Error e) {
            throw new AssertionError("history " + seed + ", restart " + restart + ": " + e, e);
        }
    }

    private static SimWorld world(long seed) {
        Set<SimFault> faults = seed % 2 == 0 ? Set.of(CRASHES, CLUSTER, TIME_TRAVEL) : Set.of(CRASHES, TIME_TRAVEL);
        return new SimWorld(seed, faults, List.of(new NothingAcknowledgedIsLost()));
    }

    private static int lose(SimWorld world, boolean restart) {
        // Numbers of messages that no store had are used again: a client may take a message of QoS 2 for one that it
        // has begun.
        world.join("subscriber", TOPIC, restart ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE);
        SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
        int isAhead = 0;
        for (int times = world.clock.between(1, 3); times > 0; times--) {
            publish(world, publisher, world.clock.between(1, 20));
            world.pass(world.clock.between(0, 1500));
            if (restart) {
                world.crash();
            }
            for (int shard = 0; shard < world.log.shards(); shard++) {
                world.loseTail(shard, world.clock.between(0, 12));
                isAhead |= world.store.shard(shard).applied
                                > world.log.records(shard).size() - 1
                        ? 1
                        : 0;
            }
            world.pass(world.clock.between(0, 300));
            if (restart) {
                world.passUntil(world::isLive); // listeners open then
            }
            publish(world, publisher, world.clock.between(1, 20));
        }
        world.finish();
        return isAhead;
    }

    private static void publish(SimWorld world, SimClient publisher, int messages) {
        if (!publisher.isConnecting()) {
            publisher.connect(publisher.wish(false, null));
        }
        for (int i = 0; i < messages; i++) {
            QoS qos = world.clock.chance(0.5) ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE;
            publisher.publish(world.ledger.message(TOPIC, qos, Message.NEVER, publisher.name));
            world.pass(world.clock.between(0, 20));
        }
    }
}
