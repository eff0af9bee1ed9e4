package io.tributary.server.blackbox.load;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.server.blackbox.Secured.Way;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

/**
 * What all clients of a run know.
 *
 * @param port asked before each connection: the port of a broker, of a cluster any one
 * @param way how a connection to it is opened
 * @param patience how long a client waits for an answer before it takes its broker for dead and connects anew
 * @param look how often a client looks whether there is something else to do than to listen
 * @param pause between two attempts to connect: half of it, and some by chance
 * @param prefix what names of its clients and topics begin with
 */
public record LoadContext(
        IntSupplier port,
        Way way,
        Duration patience,
        Duration look,
        Duration pause,
        String prefix,
        Rounds rounds,
        Judge judge,
        WillJudge wills,
        Experience experience) {
    private static final Duration OFTEN = Duration.ofMillis(20);

    /** A scene with nobody in it yet. */
    public static LoadContext of(IntSupplier port, Way way, Duration patience) {
        Judge judge = new Judge();
        return new LoadContext(
                port, way, patience, OFTEN, OFTEN, "", new Rounds(), judge, new WillJudge(judge), new Experience());
    }

    /** The same for clients that go to other brokers. */
    public LoadContext at(IntSupplier otherPort) {
        return new LoadContext(otherPort, way, patience, look, pause, prefix, rounds, judge, wills, experience);
    }

    /**
     * A scene of its own with nobody in it yet, at the same brokers: its clients look seldom, as many do.
     *
     * @param sharedRounds when they publish
     * @param sharedExperience what they notice goes there
     */
    public LoadContext corner(String newPrefix, Duration newLook, Rounds sharedRounds, Experience sharedExperience) {
        Judge own = new Judge();
        return new LoadContext(
                port,
                way,
                patience,
                newLook,
                newLook,
                newPrefix,
                sharedRounds,
                own,
                new WillJudge(own),
                sharedExperience);
    }

    /** What the subscribers subscribe to. */
    String filter() {
        return prefix + "load/#";
    }

    /** Where a publisher publishes. */
    String topic(int publisher) {
        return prefix + "load/" + publisher;
    }

    /** What those who watch for wills subscribe to. */
    String willFilter() {
        return prefix + "wills/#";
    }

    /** Where the will of a client goes. */
    String willTopic(int client) {
        return prefix + "wills/" + client;
    }

    /** Waits between two attempts to connect, or until the test is over. */
    void rest() throws InterruptedException {
        long half = pause.toNanos() / 2;
        rounds.awaitMore(
                Integer.MAX_VALUE,
                Duration.ofNanos(half + ThreadLocalRandom.current().nextLong(half + 1)));
    }

    /** A connection to a broker, on which nothing was sent yet. */
    TestClient open(Connect connect) throws IOException {
        return way.open(port.getAsInt(), connect.version());
    }
}
