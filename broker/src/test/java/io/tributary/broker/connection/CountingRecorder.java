package io.tributary.broker.connection;

import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.ArrayList;
import java.util.List;

/** Notes what it is told. */
final class CountingRecorder implements ClientRecorder {
    final List<DropReason> dropped = new ArrayList<>();
    final List<String> deadlinesMissed = new ArrayList<>();
    final List<ReasonCode> refused = new ArrayList<>();
    final List<ReasonCode> disconnected = new ArrayList<>();
    final List<PauseReason> paused = new ArrayList<>();
    final List<ClientKind> kinds = new ArrayList<>();
    int connected;
    int inFlight;
    int keepAliveTimeouts;
    int takeoversRefused;
    int subscriptionsRefused;
    /** By packet: {@code QoS nanoseconds}. */
    final List<String> acknowledged = new ArrayList<>();

    @Override
    public void connected(ClientKind kind, boolean sessionPresent) {
        kinds.add(kind);
        connected++;
    }

    @Override
    public void refused(ReasonCode reason) {
        refused.add(reason);
    }

    @Override
    public void subscriptionRefused() {
        subscriptionsRefused++;
    }

    @Override
    public void takeoverRefused() {
        takeoversRefused++;
    }

    @Override
    public void disconnected(ClientKind kind, ReasonCode reason) {
        kinds.add(kind);
        disconnected.add(reason);
    }

    @Override
    public void acknowledged(QoS qos, long nanos) {
        acknowledged.add(qos.code() + " " + nanos);
    }

    @Override
    public void dropped(DropReason reason) {
        dropped.add(reason);
    }

    @Override
    public void deadlineMissed(String topic) {
        deadlinesMissed.add(topic);
    }

    @Override
    public void inFlightChanged(int difference) {
        inFlight += difference;
    }

    @Override
    public void keepAliveTimeout() {
        keepAliveTimeouts++;
    }

    @Override
    public void readingPaused(PauseReason reason) {
        paused.add(reason);
    }
}
