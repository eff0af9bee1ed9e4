package io.tributary.server.blackbox.load;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import java.io.IOException;
import java.time.Duration;

/** Asks a broker that says nothing whether it is there, and ends the connection when it does not answer in time. */
final class LivenessProbe {
    private final TestClient client;
    private final long patienceNanos;
    private long heardAtNanos = System.nanoTime();
    private boolean asked;

    LivenessProbe(TestClient client, Duration patience) {
        this.client = client;
        patienceNanos = patience.toNanos();
    }

    /**
     * To be called again and again.
     *
     * @param heard whether the broker sent something since the last time
     * @throws IOException when the broker was silent for too long
     */
    void check(boolean heard) throws IOException {
        long nowNanos = System.nanoTime();
        if (heard) {
            heardAtNanos = nowNanos;
            asked = false;
        } else if (nowNanos - heardAtNanos > patienceNanos) {
            throw new IOException("the broker is silent");
        } else if (!asked && nowNanos - heardAtNanos > patienceNanos / 2) {
            client.send(new Pingreq());
            asked = true;
        }
    }
}
