package io.tributary.broker.connection;

import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Unsuback;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers to a client's packets, with words only for clients that want them [MQTT-3.1.2-29]. */
record Replies(PacketSink sink, boolean problemInformation) {
    void puback(int packetId, ReasonCode reason, @Nullable String words) {
        sink.send(new Puback(packetId, reason, wanted(words), List.of())); // [MQTT-4.3.2-4]
    }

    void pubrec(int packetId, ReasonCode reason, @Nullable String words) {
        sink.send(new Pubrec(packetId, reason, wanted(words), List.of())); // [MQTT-4.3.3-8]
    }

    void pubrel(int packetId, ReasonCode reason) {
        sink.send(new Pubrel(packetId, reason, null, List.of())); // [MQTT-4.3.3-4]
    }

    void pubcomp(int packetId, ReasonCode reason) {
        sink.send(new Pubcomp(packetId, reason, null, List.of())); // [MQTT-4.3.3-11]
    }

    void suback(int packetId, List<ReasonCode> reasons) {
        sink.send(new Suback(packetId, reasons, null, List.of())); // [MQTT-3.8.4-2]
    }

    void unsuback(int packetId, List<ReasonCode> reasons) {
        sink.send(new Unsuback(packetId, reasons, null, List.of())); // [MQTT-3.10.4-4]
    }

    private @Nullable String wanted(@Nullable String words) {
        return problemInformation ? words : null;
    }
}
