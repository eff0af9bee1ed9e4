package io.tributary.server.blackbox.load;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Will;
import java.io.IOException;
import java.util.List;

/**
 * A client with a will and nothing else to do. After a broken connection it connects anew at once, which takes its
 * session over, or, when it is patient, once its will was seen, which is then the broker's own finding.
 */
public final class ClientWithWill implements Runnable {
    private final LoadContext scene;
    private final QoS qos;
    private final boolean persistent;
    private final boolean patient;
    private final int number;
    private final Experience.Client experience;
    private volatile boolean leaving;
    private volatile boolean online;

    /** Creates one, and makes it known to the judge of wills. */
    public ClientWithWill(LoadContext scene, QoS qos, boolean persistent, boolean patient) {
        this.scene = scene;
        this.qos = qos;
        this.persistent = persistent;
        this.patient = patient;
        number = scene.wills().addClient(qos);
        experience = scene.experience().client();
    }

    /** Has it take its leave with DISCONNECT, then connect anew; call it while the broker is well. */
    public void leave() {
        leaving = true;
    }

    /** Whether it is connected and has nothing else in mind. */
    public boolean isOnline() {
        return online && !leaving;
    }

    @Override
    public void run() {
        try {
            while (!scene.rounds().isOver()) {
                Payload life = scene.wills().begin(number);
                live(life);
                while (patient && isOwed(life) && !scene.rounds().isOver()) {
                    scene.rest();
                }
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failure) {
            scene.judge().violation("client " + number + " with a will failed: " + failure);
            throw failure;
        }
    }

    private boolean isOwed(Payload life) {
        return scene.wills().isDead(life) && !scene.wills().isSeen(life);
    }

    private void live(Payload life) throws InterruptedException {
        Connect connect = connect(life);
        try (TestClient client = scene.open(connect)) {
            client.connect(connect, scene.patience());
            experience.connected();
            scene.wills().opened(life);
            online = true;
            LivenessProbe lifeline = new LivenessProbe(client, scene.patience());
            while (!leaving && !scene.rounds().isOver()) {
                MqttPacket packet = client.poll(scene.look());
                if (packet instanceof Disconnect farewell) {
                    throw new IOException("the broker stops: " + farewell);
                }
                lifeline.check(packet != null);
            }
            takeLeave(client, life);
        } catch (IOException broken) {
            scene.wills().ended(life);
            experience.ended(broken);
            scene.rest();
        } finally {
            online = false;
        }
    }

    private void takeLeave(TestClient client, Payload life) throws IOException {
        int faults = scene.judge().faults();
        scene.wills().unsure(life);
        client.send(new Disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT, null, null, List.of()));
        client.awaitClose();
        if (scene.judge().faults() == faults) {
            scene.wills().left(life);
        }
        leaving = false;
    }

    private Connect connect(Payload life) {
        Message message = new Message(
                scene.willTopic(number), life.bytes(), qos, false, PublishProperties.NONE, Message.NEVER, "");
        return new Connect(
                ProtocolVersion.MQTT_5,
                !persistent,
                0,
                scene.prefix() + "mortal" + number,
                new Will(message, 0, MqttPacket.ABSENT),
                null,
                null,
                ConnectProperties.defaults(persistent ? ConnectProperties.NEVER_EXPIRES : 0));
    }
}
