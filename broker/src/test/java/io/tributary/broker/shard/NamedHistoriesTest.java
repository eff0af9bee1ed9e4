package io.tributary.broker.shard;

import static io.tributary.broker.shard.SimFault.BREAKS;
import static io.tributary.broker.shard.SimFault.CLUSTER;
import static io.tributary.broker.shard.SimFault.CUTS;
import static io.tributary.broker.shard.SimFault.LIMITS;
import static io.tributary.broker.shard.SimFault.PAUSES;
import static io.tributary.broker.shard.SimFault.STORE_FAILS;
import static io.tributary.broker.shard.SimFault.TAKEOVERS;
import static io.tributary.broker.shard.SimFault.TIME_TRAVEL;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.Ledger.Published;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Situations that are known to break brokers, each brought about on purpose and judged by the promises of the
 * simulation. That a producer does not give one batch up and send the next is for the tests of the log.
 */
class NamedHistoriesTest {
    private static final int PACKET_IDS = 65_535;
    private static final String TOPIC = "named";

    private final Delivered delivered = new Delivered();

    /** How many messages reached the subscriber of a test. */
    private static final class Delivered implements Ledger.Promise {
        int count;
        final List<Integer> toWatcher = new ArrayList<>();

        @Override
        public void delivered(SimWorld world, SimClient client, Published published, boolean exactlyOnce) {
            count += client.name.equals("subscriber") ? 1 : 0;
            if (client.name.equals(SimWorld.WATCHER)) {
                toWatcher.add(Ledger.idOf(published.message));
            }
        }
    }

    @Test
    void packetIdIsReusedRightAfterPubcompWhileTheOwnerChanges() {
        SimWorld world = cluster();
        SimClient subscriber = world.join("subscriber", TOPIC, QoS.EXACTLY_ONCE);
        SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
        for (int i = 0; i < 30; i++) {
            publisher.publishAs(1, message(world, QoS.EXACTLY_ONCE));
            if (i % 3 == 0) {
                world.moveToOther(world.shardOf(publisher));
            }
            world.passUntil(publisher::isIdle);
            if (i % 2 == 0) {
                world.moveToOther(world.shardOf(publisher));
            }
        }
        world.finish();
        assertThat(delivered.count).isEqualTo(30);
        assertThat(subscriber.isIdle()).isTrue();
    }

    @Test
    void ownerWakesUpWithDeliveriesAndTimersInHand() {
        for (int pauseMillis = 0; pauseMillis < 40; pauseMillis++) {
            delivered.count = 0;
            SimWorld world = cluster();
            SimClient subscriber = world.join("subscriber", TOPIC, QoS.EXACTLY_ONCE);
            SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
            Will will = new Will(
                    world.ledger.message(SimWorld.WILLS, QoS.EXACTLY_ONCE, Message.NEVER, publisher.name), 1, -1);
            publisher.connect(publisher.wish(false, will));
            world.passUntil(publisher::isConnected);
            publisher.publish(message(world, QoS.EXACTLY_ONCE));
            publisher.publish(message(world, QoS.AT_LEAST_ONCE));
            world.passUntil(publisher::isIdle);
            publisher.breakConnection(); // the will's delay begins within three seconds
            for (int i = 0; i < 5; i++) {
                world.client(SimWorld.WATCHER).publish(message(world, QoS.EXACTLY_ONCE));
            }
            world.pass(pauseMillis);
            for (SimClient client : List.of(subscriber, publisher)) {
                SimNode zombie = world.ownerOf(world.shardOf(client));
                world.moveToOther(world.shardOf(client));
                if (zombie != null) {
                    zombie.thread.pause();
                    world.clock.after(5000, zombie.thread::goOn);
                }
            }
            world.pass(6000);
            world.finish();
            assertThat(delivered.count).isEqualTo(7);
        }
    }

    @Test
    void sessionStartsCleanWhileMatchedMessagesAreInFlight() {
        for (int delayMillis = 0; delayMillis < 40; delayMillis++) {
            SimWorld world = cluster();
            SimClient subscriber = world.join("subscriber", TOPIC, QoS.EXACTLY_ONCE);
            SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
            long before = subscriber.session();
            for (int i = 0; i < 6; i++) {
                publisher.publish(message(world, i % 2 == 0 ? QoS.EXACTLY_ONCE : QoS.AT_LEAST_ONCE));
            }
            world.pass(delayMillis);
            world.fault();
            subscriber.wantsNothingMore();
            subscriber.connect(subscriber.wish(true, null));
            world.passUntil(subscriber::isConnected);
            assertThat(subscriber.session()).isNotEqualTo(before);
            delivered.count = 0;
            world.finish();
            assertThat(delivered.count)
                    .as("what was matched for the session before")
                    .isZero();
        }
    }

    @Test
    void messageOfAGuestThatLeftMovesToAMemberThatHasTakenItsConnectionOver() {
        for (int seed = 0; seed < 20; seed++) {
            delivered.count = 0;
            SimWorld world = cluster(seed);
            SimClient guest = world.join("guest", "nothing", QoS.AT_LEAST_ONCE);
            SimClient subscriber = world.join("subscriber", "nothing", QoS.AT_LEAST_ONCE);
            SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
            guest.breakConnection();
            world.pass(4000);
            share(world, guest);
            publisher.publish(message(world, QoS.AT_LEAST_ONCE)); // for the guest: nobody else is there
            world.passUntil(publisher::isIdle);
            subscriber.connect(subscriber.wish(false, null));
            world.passUntil(subscriber::isConnected);
            world.pass(1000);
            share(world, subscriber);
            world.pass(3000);
            assertThat(delivered.count).isEqualTo(1);
            world.finish();
        }
    }

    @Test
    void ownerIsAssignedItsShardAnewWhileItReadsTheQueueOfAGuestWhoseSessionEnds() {
        for (int seed = 0; seed < 20; seed++) {
            delivered.count = 0;
            SimWorld world = cluster(seed);
            SimClient guest = world.join("guest", "nothing", QoS.AT_LEAST_ONCE);
            SimClient subscriber = world.join("subscriber", "nothing", QoS.AT_LEAST_ONCE);
            SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
            guest.disconnect(false, 5);
            subscriber.disconnect(false, SessionState.NEVER_EXPIRES_SECONDS);
            share(world, guest);
            publisher.publish(message(world, QoS.AT_LEAST_ONCE)); // for the guest: nobody else is there
            world.passUntil(publisher::isIdle);
            share(world, subscriber);
            world.pass(3000); // the store has it all
            int shard = world.shardOf(guest);
            SimNode owner = Objects.requireNonNull(world.ownerOf(shard));
            owner.store.requests.pause();
            world.pass(3000); // the session is over, but for its queue
            world.fault();
            world.log.assign(shard, owner.log);
            world.pass(1000);
            owner.store.requests.goOn();
            world.pass(3000);
            subscriber.connect(subscriber.wish(false, null));
            world.pass(3000);
            assertThat(delivered.count).isEqualTo(1);
            world.finish();
        }
    }

    @Test
    void willComesBeforeWhatItsClientPublishesNext() {
        for (int seed = 0; seed < 60; seed++) {
            SimWorld world = seed % 3 == 0 ? alone(seed) : cluster(seed);
            SimClient client = world.join("client", "nothing", QoS.AT_LEAST_ONCE);
            Message offline = world.ledger.message(SimWorld.WILLS, QoS.EXACTLY_ONCE, Message.NEVER, client.name);
            client.connect(client.wish(seed % 2 == 0, new Will(offline, 0, -1)));
            world.passUntil(client::isConnected);
            if (seed % 4 < 2) {
                client.disconnect(true, SessionState.NEVER_EXPIRES_SECONDS);
                world.pass(seed);
            }
            client.connect(client.wish(false, null));
            world.passUntil(client::isConnected);
            Message online = world.ledger.message("a", QoS.EXACTLY_ONCE, Message.NEVER, client.name);
            client.publish(online);
            world.passUntil(() -> delivered.toWatcher.contains(Ledger.idOf(online)));
            assertThat(delivered.toWatcher).as("seed %s", seed).endsWith(Ledger.idOf(offline), Ledger.idOf(online));
            world.finish();
            delivered.toWatcher.clear();
        }
    }

    private static void share(SimWorld world, SimClient member) {
        world.routing.subscribe(new SimRouting.Subscription(
                member.name, member.session(), TOPIC, QoS.AT_LEAST_ONCE, "$share/g/named", ClientKind.DEVICE));
    }

    @Test
    @Tag("long")
    void oneMessageStaysUnacknowledgedWhileAllOtherPacketIdsPass() {
        SimWorld world = alone();
        SimClient subscriber = world.join("subscriber", TOPIC, QoS.AT_LEAST_ONCE);
        SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
        subscriber.hold(1);
        publish(world, publisher, PACKET_IDS);
        publishUnseen(world, publisher, 100);
        world.pass(2000);
        assertThat(delivered.count).isEqualTo(PACKET_IDS);
        subscriber.lazy(false);
        world.finish();
        assertThat(delivered.count).isEqualTo(PACKET_IDS + 100);
    }

    @Test
    void storeGoesBackBetweenPubrecAndPubcomp() {
        for (int i = 0; i < 40; i++) {
            delivered.count = 0;
            SimWorld world = world(i % 2 == 0 ? Set.of(TIME_TRAVEL, CUTS) : Set.of(TIME_TRAVEL), i);
            SimClient subscriber = world.join("subscriber", TOPIC, QoS.EXACTLY_ONCE);
            SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
            publisher.publish(message(world, QoS.EXACTLY_ONCE));
            world.passUntil(() -> delivered.count == 1);
            subscriber.lazy(true); // PUBREC is out
            world.passUntil(subscriber::owes); // PUBCOMP
            world.pass(i * 50L); // with one save point more or less
            world.fault();
            world.store.goBackInTime(world.shardOf(subscriber));
            publisher.publish(message(world, QoS.EXACTLY_ONCE));
            world.pass(3000);
            world.finish();
            assertThat(delivered.count).isEqualTo(2);
        }
    }

    @Test
    @Tag("long")
    void packetIdsWrapWhileSequenceNumbersGoOn() {
        SimWorld world = alone();
        SimClient subscriber = world.join("subscriber", TOPIC, QoS.AT_LEAST_ONCE);
        SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
        publish(world, publisher, PACKET_IDS - 3000);
        subscriber.disconnect(false, SessionState.NEVER_EXPIRES_SECONDS);
        publishUnseen(world, publisher, 6000); // over the end of the packet identifiers
        subscriber.connect(subscriber.wish(false, null));
        world.passUntil(() -> delivered.count == PACKET_IDS + 3000);
        publish(world, publisher, 3000);
        world.finish();
        assertThat(delivered.count).isEqualTo(PACKET_IDS + 6000);
    }

    /** Publishes so many messages as fast as they are delivered. */
    private void publish(SimWorld world, SimClient publisher, int messages) {
        int before = delivered.count;
        for (int sent = 0; sent < messages; sent += 15) {
            int part = Math.min(15, messages - sent);
            publishUnseen(world, publisher, part);
            int delivering = before + sent + part;
            world.passUntil(() -> delivered.count >= delivering);
        }
    }

    /** What waits in the log meanwhile is much more than a queue may hold. */
    @Test
    void connectedClientLosesNothingWhenTheStoreIsAwayAndItsShardHasNoOwner() {
        for (int seed = 1; seed <= 20; seed++) {
            delivered.count = 0;
            SimWorld world = world(Set.of(CLUSTER, STORE_FAILS, LIMITS), seed);
            SimClient subscriber = world.join("subscriber", TOPIC, QoS.AT_LEAST_ONCE);
            SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
            world.store.failures(1);
            world.moveToOther(world.shardOf(subscriber));
            publishUnseen(world, publisher, 100);
            world.pass(60_000);
            world.store.failures(0);
            for (int i = 0; i < 100; i++) {
                publisher.publish(message(world, QoS.AT_LEAST_ONCE));
                world.pass(100);
            }
            world.finish();
            assertThat(world.recorder.queueFull).isZero();
            assertThat(delivered.count).isGreaterThanOrEqualTo(200);
        }
    }

    @Test
    void connectedClientLosesNothingWhenTheStoreIsAway() {
        for (int seed = 1; seed <= 20; seed++) {
            delivered.count = 0;
            SimWorld world = world(Set.of(STORE_FAILS, LIMITS), seed);
            world.join("subscriber", TOPIC, QoS.EXACTLY_ONCE);
            SimClient publisher = world.join("publisher", "nothing", QoS.AT_LEAST_ONCE);
            world.store.failures(1);
            for (int i = 0; i < 200; i++) {
                publishUnseen(world, publisher, 3);
                world.pass(300);
            }
            assertThat(delivered.count).as("while the store is away").isEqualTo(600);
            world.store.failures(0);
            world.finish();
            assertThat(world.recorder.queueFull).isZero();
            assertThat(delivered.count).isEqualTo(600);
        }
    }

    /** Publishes so many messages as fast as they are acknowledged. */
    private static void publishUnseen(SimWorld world, SimClient publisher, int messages) {
        for (int i = 0; i < messages; i++) {
            publisher.publish(message(world, QoS.AT_LEAST_ONCE));
            if (i % 20 == 19) {
                world.passUntil(publisher::isIdle);
            }
        }
        world.passUntil(publisher::isIdle);
    }

    private static Message message(SimWorld world, QoS qos) {
        return world.ledger.message(TOPIC, qos, Message.NEVER, "");
    }

    private SimWorld cluster() {
        return cluster(1);
    }

    private SimWorld cluster(long seed) {
        return world(Set.of(CLUSTER, PAUSES, BREAKS, TAKEOVERS), seed);
    }

    private SimWorld alone() {
        return alone(1);
    }

    private SimWorld alone(long seed) {
        return world(Set.of(), seed);
    }

    private SimWorld world(Set<SimFault> faults, long seed) {
        return new SimWorld(
                seed,
                faults,
                List.of(
                        delivered,
                        new NothingAcknowledgedIsLost(),
                        new OrderIsKept(),
                        new ExactlyOnce(),
                        new OneSession(),
                        new WillsArePublishedOnce(),
                        new NothingIsEarly(),
                        new FoldIsDeterministic(),
                        new MemoryIsReturned()));
    }
}
