package io.tributary.server.blackbox.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.QoS;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether the judge of wills would see what must not happen. */
class WillJudgeTest {
    private final Judge judge = new Judge();
    private final WillJudge wills = new WillJudge(judge);
    private int once;
    private int atLeastOnce;

    @BeforeEach
    void cast() {
        wills.addWatcher("watcher");
        once = wills.addClient(QoS.EXACTLY_ONCE);
        atLeastOnce = wills.addClient(QoS.AT_LEAST_ONCE);
    }

    @Test
    void findsNothingWhenEachDeathHasItsWill() {
        see(died(once), QoS.EXACTLY_ONCE, false, 1);
        see(died(once), QoS.EXACTLY_ONCE, false, 1);
        see(died(atLeastOnce), QoS.AT_LEAST_ONCE, false, 1);
        left(once);
        opened(once);
        wills.ended(wills.begin(atLeastOnce)); // was refused, perhaps
        wills.check();
        assertThat(judge.violations()).isEmpty();
        assertThat(wills.deaths()).isEqualTo(3);
    }

    @Test
    void findsLossWhenDeathHasNoWill() {
        Payload life = died(once);
        see(died(once), QoS.EXACTLY_ONCE, false, 1);
        assertThat(wills.isSeen(life)).isFalse();
        assertThat(wills.unsettled()).singleElement().asString().contains("has not got", "number=0");
        wills.check();
        assertThat(judge.violations()).hasSize(1);
    }

    @Test
    void findsLossWhenOneOfTwoWatchersMissesWill() {
        wills.addWatcher("other");
        see(died(once), QoS.EXACTLY_ONCE, false, 1);
        wills.check();
        assertThat(judge.violations()).singleElement().asString().contains("other has not got");
    }

    @Test
    void findsRepetitionWhenWillComesTwice() {
        Payload life = died(once);
        see(life, QoS.EXACTLY_ONCE, false, 1);
        judge.fault();
        see(life, QoS.EXACTLY_ONCE, true, 2);
        Payload another = died(atLeastOnce);
        see(another, QoS.AT_LEAST_ONCE, false, 2);
        see(another, QoS.AT_LEAST_ONCE, false, 3);
        assertThat(judge.violations()).hasSize(2).allMatch(words -> words.contains("twice"));
    }

    @Test
    void forgivesRepetitionWhenQos1IsRedelivered() {
        Payload life = died(atLeastOnce);
        see(life, QoS.AT_LEAST_ONCE, false, 1);
        see(life, QoS.AT_LEAST_ONCE, true, 2);
        judge.fault();
        see(life, QoS.AT_LEAST_ONCE, false, 3);
        assertThat(judge.violations()).isEmpty();
    }

    @Test
    void findsWillWhenClientTookItsLeave() {
        see(left(once), QoS.EXACTLY_ONCE, false, 1);
        wills.check();
        assertThat(judge.violations()).singleElement().asString().contains("took its leave");
    }

    @Test
    void findsWillWhenConnectionIsOpen() {
        see(opened(once), QoS.EXACTLY_ONCE, false, 1);
        assertThat(wills.unsettled()).hasSize(1);
        wills.check();
        assertThat(judge.violations()).singleElement().asString().contains("open connection");
    }

    @Test
    void forgivesWillWhenNobodyKnowsHowConnectionEnded() {
        Payload life = opened(once);
        wills.unsure(life);
        see(life, QoS.EXACTLY_ONCE, false, 1);
        see(wills.begin(once), QoS.EXACTLY_ONCE, false, 1);
        wills.check();
        assertThat(judge.violations()).isEmpty();
    }

    @Test
    void findsInventionWhenNobodyMadeWill() {
        see(new Payload(once, 7), QoS.EXACTLY_ONCE, false, 1);
        assertThat(judge.violations()).singleElement().asString().contains("nobody");
    }

    private Payload opened(int client) {
        Payload life = wills.begin(client);
        wills.opened(life);
        return life;
    }

    private Payload died(int client) {
        Payload life = opened(client);
        wills.ended(life);
        return life;
    }

    private Payload left(int client) {
        Payload life = opened(client);
        wills.left(life);
        return life;
    }

    private void see(Payload life, QoS qos, boolean dup, int connection) {
        wills.seen("watcher", life, qos, dup, connection);
    }
}
