package io.tributary.server.blackbox.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.QoS;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether the judge would see what must not happen. */
class JudgeTest {
    private final Judge judge = new Judge();
    private int once;
    private int atLeastOnce;

    @BeforeEach
    void cast() {
        once = judge.addPublisher(QoS.EXACTLY_ONCE);
        atLeastOnce = judge.addPublisher(QoS.AT_LEAST_ONCE);
        judge.addSubscriber("subscriber");
    }

    @Test
    void findsNothingWhenAllArrivesInOrder() {
        for (int i = 0; i < 3; i++) {
            judge.acknowledged(judge.publish(once));
            receive(once, i, false, 1);
        }
        judge.checkNothingLost();
        assertThat(judge.violations()).isEmpty();
        assertThat(judge.missing("subscriber")).isZero();
    }

    @Test
    void findsLossWhenAcknowledgedMessageDoesNotArrive() {
        judge.acknowledged(judge.publish(once));
        judge.checkNothingLost();
        assertThat(judge.violations()).singleElement().asString().contains("lost 1");
    }

    @Test
    void forgivesLossWhenMessageWasNotAcknowledged() {
        judge.publish(once);
        judge.checkNothingLost();
        assertThat(judge.violations()).isEmpty();
        assertThat(judge.missing("subscriber")).isEqualTo(1);
    }

    @Test
    void findsRepetitionWhenQos2ArrivesTwice() {
        judge.resent(judge.publish(once));
        receive(once, 0, false, 1);
        receive(once, 0, true, 2);
        assertThat(judge.violations()).singleElement().asString().contains("twice at QoS 2");
    }

    @Test
    void findsRepetitionWhenQos1ArrivesTwiceWithoutReason() {
        judge.publish(atLeastOnce);
        receive(atLeastOnce, 0, false, 1);
        receive(atLeastOnce, 0, true, 1);
        receive(atLeastOnce, 0, false, 2);
        assertThat(judge.violations()).hasSize(2).allMatch(words -> words.contains("twice at QoS 1"));
    }

    @Test
    void forgivesRepetitionWhenQos1IsRedeliveredOrResent() {
        judge.publish(atLeastOnce);
        receive(atLeastOnce, 0, false, 1);
        receive(atLeastOnce, 0, true, 2);
        judge.resent(judge.publish(atLeastOnce));
        receive(atLeastOnce, 1, false, 2);
        receive(atLeastOnce, 1, false, 2);
        assertThat(judge.violations()).isEmpty();
        assertThat(judge.counts().duplicates()).isEqualTo(2);
    }

    @Test
    void findsDisorderWhenFirstCopyComesAfterLaterOne() {
        judge.publish(once);
        judge.publish(once);
        receive(once, 1, false, 1);
        receive(once, 0, false, 1);
        assertThat(judge.violations()).singleElement().asString().contains("first copy");
    }

    @Test
    void findsInventionWhenNobodyPublished() {
        receive(once, 0, false, 1);
        assertThat(judge.violations()).singleElement().asString().contains("nobody");
    }

    @Test
    void forgivesRepetitionWithoutDupWhenFaultCameBetween() {
        judge.publish(atLeastOnce);
        receive(atLeastOnce, 0, false, 1);
        judge.fault();
        receive(atLeastOnce, 0, false, 2);
        assertThat(judge.violations()).isEmpty();
        assertThat(judge.counts().unmarked()).isEqualTo(1);
    }

    @Test
    void findsRepetitionWhenFaultCameBeforeOrConnectionIsSame() {
        judge.fault();
        judge.publish(atLeastOnce);
        receive(atLeastOnce, 0, false, 1);
        receive(atLeastOnce, 0, false, 2);
        judge.fault();
        judge.publish(atLeastOnce);
        receive(atLeastOnce, 1, false, 2);
        judge.fault();
        receive(atLeastOnce, 1, true, 2);
        assertThat(judge.violations()).hasSize(2).allMatch(words -> words.contains("twice at QoS 1"));
    }

    @Test
    void findsRepetitionWhenQos2ArrivesTwiceAfterFault() {
        judge.resent(judge.publish(once));
        receive(once, 0, false, 1);
        judge.fault();
        receive(once, 0, true, 2);
        assertThat(judge.violations()).singleElement().asString().contains("twice at QoS 2");
    }

    @Test
    void findsLossAndRepetitionWhenReceiverIsGroup() {
        judge.addGroup("group", QoS.EXACTLY_ONCE);
        judge.acknowledged(judge.publish(once));
        judge.acknowledged(judge.publish(once));
        receive(once, 0, false, 1);
        receive(once, 1, false, 1);
        judge.received("group", new Payload(once, 1), QoS.EXACTLY_ONCE, false, 1);
        judge.received("group", new Payload(once, 1), QoS.EXACTLY_ONCE, true, 3);
        judge.checkNothingLost();
        assertThat(judge.violations())
                .satisfiesExactly(
                        words -> assertThat(words).contains("group got", "twice at QoS 2"),
                        words -> assertThat(words).contains("group lost 1"));
    }

    @Test
    void findsWrongQosWhenItIsNotThatOfPublication() {
        judge.publish(atLeastOnce);
        judge.received("subscriber", new Payload(atLeastOnce, 0), QoS.AT_MOST_ONCE, false, 1);
        assertThat(judge.violations()).singleElement().asString().contains("instead of");
    }

    private void receive(int publisher, int number, boolean dup, int connection) {
        QoS qos = publisher == once ? QoS.EXACTLY_ONCE : QoS.AT_LEAST_ONCE;
        judge.received("subscriber", new Payload(publisher, number), qos, dup, connection);
    }
}
