package io.tributary.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.connection.ConnectionRecorder;
import io.tributary.broker.routing.RouterRecorder;
import io.tributary.broker.session.DropReason;
import io.tributary.broker.session.SessionRecorder;
import io.tributary.broker.shard.ShardRecorder;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TotalsTest {
    private final Totals totals = new Totals();

    @Test
    void trafficIsAddedUp() {
        ConnectionRecorder connections = totals.listenIn(ConnectionRecorder.NONE);
        connections.opened("tcp");
        connections.received(2, 20);
        connections.received(1, 10);
        connections.sent(4, 40);
        Totals.Stats stats = totals.stats();
        assertThat(stats.connectionsOpened()).isEqualTo(1);
        assertThat(stats.packetsReceived()).isEqualTo(3);
        assertThat(stats.bytesReceived()).isEqualTo(30);
        assertThat(stats.packetsSent()).isEqualTo(4);
        assertThat(stats.bytesSent()).isEqualTo(40);
    }

    @Test
    void maximumStaysWhenClientsLeave() {
        SessionRecorder sessions = totals.listenIn(SessionRecorder.NONE);
        sessions.connected(ClientKind.DEVICE, false);
        sessions.connected(ClientKind.DEVICE, true);
        sessions.disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        sessions.disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        sessions.connected(ClientKind.DEVICE, false);
        assertThat(totals.stats().clientsMaximum()).isEqualTo(2);
    }

    @Test
    void applicationsAreCountedWhileTheyAreConnected() {
        SessionRecorder sessions = totals.listenIn(SessionRecorder.NONE);
        sessions.connected(ClientKind.APPLICATION, false);
        sessions.connected(ClientKind.SMALL_APPLICATION, false);
        sessions.connected(ClientKind.DEVICE, false);
        assertThat(totals.stats().applications()).isEqualTo(2);
        sessions.disconnected(ClientKind.DEVICE, ReasonCode.SUCCESS);
        sessions.disconnected(ClientKind.APPLICATION, ReasonCode.SUCCESS);
        assertThat(totals.stats().applications()).isEqualTo(1);
    }

    @Test
    void dropsOfAllPlacesAreOneFigure() {
        totals.listenIn(SessionRecorder.NONE).dropped(DropReason.EXPIRED);
        totals.listenIn(RouterRecorder.NONE).dropped(RouterRecorder.Drop.OFFLINE);
        totals.listenIn(ShardRecorder.NONE).dropped(ShardRecorder.DropReason.QUEUE_FULL);
        assertThat(totals.stats().publishesDropped()).isEqualTo(3);
    }

    @Test
    void theNextRecorderStillGetsEverything() {
        List<String> heard = new ArrayList<>();
        ConnectionRecorder connections = totals.listenIn(new ConnectionRecorder() {
            @Override
            public void opened(String listener) {
                heard.add("opened " + listener);
            }

            @Override
            public void stalled() {
                heard.add("stalled");
            }
        });
        connections.opened("ws");
        connections.stalled();
        assertThat(heard).containsExactly("opened ws", "stalled");
    }
}
