package io.tributary.common.codec;

import static io.tributary.common.codec.WireReader.malformed;

import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import org.jspecify.annotations.Nullable;

/** The connect flags (section 3.1.2.3): they tell which fields the payload holds. */
record ConnectFlags(int bits) {

    static ConnectFlags read(WireReader in, ProtocolVersion version) {
        ConnectFlags flags = new ConnectFlags(in.u8());
        String flaw = flags.flaw(version);
        if (flaw != null) {
            throw malformed(flaw);
        }
        return flags;
    }

    private @Nullable String flaw(ProtocolVersion version) {
        if ((bits & 0x01) != 0) {
            return "reserved connect flag is set [MQTT-3.1.2-3]";
        }
        if (!hasWill() && (bits & 0x38) != 0) {
            return "will QoS or will retain without a will [MQTT-3.1.2-11, MQTT-3.1.2-13]";
        }
        if ((bits & 0x18) == 0x18) {
            return "will QoS is 3 [MQTT-3.1.2-12]";
        }
        // MQTT 5 lifted [MQTT-3.1.2-22] of MQTT 3.1.1.
        boolean passwordAlone = hasPassword() && !hasUserName() && !version.isMqtt5();
        return passwordAlone ? "password without a user name" : null;
    }

    boolean cleanStart() {
        return (bits & 0x02) != 0;
    }

    boolean hasWill() {
        return (bits & 0x04) != 0;
    }

    QoS willQos() {
        return QoS.of(bits >> 3 & 0x03);
    }

    boolean willRetain() {
        return (bits & 0x20) != 0;
    }

    boolean hasPassword() {
        return (bits & 0x40) != 0;
    }

    boolean hasUserName() {
        return (bits & 0x80) != 0;
    }
}
