package io.tributary.server.blackbox.load;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.server.blackbox.Secured.Way;
import java.io.IOException;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * What all clients of a run know.
 *
 * @param port asked before each connection: the port of a broker, of a cluster any one
 * @param way how a connection to it is opened
 * @param patience how long a client waits for an answer before it takes its broker for dead and connects anew
 */
public record LoadContext(IntSupplier port, Way way, Duration patience, Rounds rounds, Judge judge, WillJudge wills) {

    /** A scene with nobody in it yet. */
    public static LoadContext of(IntSupplier port, Way way, Duration patience) {
        Judge judge = new Judge();
        return new LoadContext(port, way, patience, new Rounds(), judge, new WillJudge(judge));
    }

    /** The same for clients that go to other brokers. */
    public LoadContext at(IntSupplier otherPort) {
        return new LoadContext(otherPort, way, patience, rounds, judge, wills);
    }

    /** What the subscribers subscribe to. */
    String filter() {
        return "load/#";
    }

    /** Where a publisher publishes. */
    String topic(int publisher) {
        return "load/" + publisher;
    }

    /** What those who watch for wills subscribe to. */
    String willFilter() {
        return "wills/#";
    }

    /** Where the will of a client goes. */
    String willTopic(int client) {
        return "wills/" + client;
    }

    /** A connection to a broker, on which nothing was sent yet. */
    TestClient open(Connect connect) throws IOException {
        return way.open(port.getAsInt(), connect.version());
    }
}
