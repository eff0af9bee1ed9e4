package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.network.ListenerAdmission.Admitted;
import io.tributary.broker.network.ListenerAdmission.Refused;
import io.tributary.broker.network.ListenerAdmission.Rejected;
import io.tributary.broker.network.ListenerAdmission.Verdict;
import io.tributary.common.mqtt.ReasonCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ListenerAdmissionTest {
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void admitsAgainWhenConnectionIsReleased() {
        ListenerAdmission admission = new ListenerAdmission(new AdmissionLimits(1, 0, 0), nanos::get);
        Verdict first = admission.decide();
        assertThat(first).isEqualTo(new Admitted());
        assertThat(admission.decide()).isEqualTo(new Refused(ReasonCode.QUOTA_EXCEEDED, null));

        admission.release(first);

        assertThat(admission.decide()).isEqualTo(new Admitted());
    }

    @Test
    void refusesWhenConnectionsComeTooFast() {
        ListenerAdmission admission = new ListenerAdmission(new AdmissionLimits(100, 10, 2), nanos::get);
        assertThat(admission.decide()).isEqualTo(new Admitted());
        assertThat(admission.decide()).isEqualTo(new Admitted());
        assertThat(admission.decide()).isEqualTo(new Refused(ReasonCode.CONNECTION_RATE_EXCEEDED, null));

        nanos.addAndGet(Duration.ofMillis(101).toNanos());

        assertThat(admission.decide()).isEqualTo(new Admitted());
    }

    @Test
    void rejectsWhenTooManyWaitToBeRefused() {
        ListenerAdmission admission = new ListenerAdmission(new AdmissionLimits(1, 0, 0), nanos::get);
        admission.decide();
        Verdict refused = admission.decide();
        for (int i = 1; i < 1_000; i++) {
            assertThat(admission.decide()).isEqualTo(refused);
        }
        assertThat(admission.decide()).isEqualTo(new Rejected());

        admission.release(new Rejected());
        admission.release(refused);

        assertThat(admission.decide()).isEqualTo(refused);
    }

    @Test
    void configurationRefusesWhatMakesNoSense() {
        assertInvalid(() -> new AdmissionLimits(0, 0, 0));
        assertInvalid(() -> new AdmissionLimits(1, 1, 0));
        assertInvalid(() -> ListenerConfig.tcp("x", 65_536));
        assertInvalid(() -> new ListenerKind.WebSocket("mqtt"));
        Duration second = Duration.ofSeconds(1);
        assertInvalid(() -> new NetworkConfig(-1, 1, 1, 1, second, second));
        assertInvalid(() -> new NetworkConfig(0, 1, 2, 1, second, second));
        assertInvalid(() -> new NetworkConfig(0, 1, 1, 1, second, Duration.ZERO));
    }

    private static void assertInvalid(Runnable creation) {
        assertThatThrownBy(creation::run).isInstanceOf(IllegalArgumentException.class);
    }
}
