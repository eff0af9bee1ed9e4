package io.tributary.common.codec;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A set of reason codes, such as those that may occur in one type of packet. */
final class ReasonCodeSet {
    private final @Nullable ReasonCode[] byCode = new @Nullable ReasonCode[256];
    private final Set<ReasonCode> reasons;

    private ReasonCodeSet(Set<ReasonCode> reasons) {
        this.reasons = reasons;
        for (ReasonCode reason : reasons) {
            byCode[reason.code()] = reason;
        }
    }

    static ReasonCodeSet of(ReasonCode... reasons) {
        return new ReasonCodeSet(EnumSet.copyOf(List.of(reasons)));
    }

    /** This set with more codes in it. */
    ReasonCodeSet and(ReasonCode... more) {
        Set<ReasonCode> union = EnumSet.copyOf(reasons);
        union.addAll(List.of(more));
        return new ReasonCodeSet(union);
    }

    boolean contains(ReasonCode reason) {
        return reasons.contains(reason);
    }

    /** Reads a reason code that must be in this set. */
    ReasonCode read(WireReader in) {
        int code = in.u8();
        ReasonCode reason = byCode[code];
        if (reason == null) {
            String words = "reason code 0x" + Integer.toHexString(code) + " is not allowed in this packet";
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, words);
        }
        return reason;
    }
}
