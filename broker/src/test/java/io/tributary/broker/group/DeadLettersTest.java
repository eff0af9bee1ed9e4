package io.tributary.broker.group;

import static io.tributary.broker.group.GroupFixture.DELIVERIES;
import static io.tributary.broker.group.GroupFixture.GROUP;
import static io.tributary.broker.group.GroupFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.routing.RouteOutcome;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DeadLettersTest {
    private final GroupFixture fixture = new GroupFixture();
    private final DeadLetters letters = new DeadLetters(GROUP, fixture.services, fixture.thread());

    @Test
    void isOneWhenMembersHaveLeftItSoOften() {
        assertThat(letters.of(queued("m"), DELIVERIES - 1)).isNull();
        Message letter = letter(queued("m"));
        assertThat(letter.topic()).isEqualTo("$dead-letter/g/t");
        assertThat(letter.payload()).isEqualTo(queued("m").message().payload());
        assertThat(letter.properties().userProperties())
                .containsExactly(
                        new UserProperty("dead-letter-subscription", GROUP),
                        new UserProperty("dead-letter-deliveries", String.valueOf(DELIVERIES)));
    }

    @Test
    void isNoneWhenItIsADeadLetterAlready() {
        Queued again = new Queued(letter(queued("m")), QoS.AT_LEAST_ONCE, false, List.of(), null);
        assertThat(letters.of(again, 100)).isNull();
    }

    @Test
    void staysInTheTenantAndShowsNothingOfItWhenTheGroupIsATenants() {
        DeadLetters ofTenant = new DeadLetters("$share/g/\0acme/#", fixture.services, fixture.thread());
        Queued queued = queued("m");
        Queued inside = new Queued(
                TenantNames.message("acme", queued.message()), queued.qos(), false, List.of(), "$share/g/\0acme/#");

        Message letter = Objects.requireNonNull(ofTenant.of(inside, DELIVERIES));
        assertThat(letter.topic()).isEqualTo("\0acme/$dead-letter/g/t");
        assertThat(letter.properties().userProperties())
                .contains(new UserProperty("dead-letter-subscription", "$share/g/#"));
        assertThat(ofTenant.of(new Queued(letter, QoS.AT_LEAST_ONCE, false, List.of(), null), 100))
                .isNull();
    }

    @Test
    void saysOnTheThreadWhetherAPersistentSessionHasIt() {
        List<Boolean> kept = new ArrayList<>();
        assertThat(letters.publish(letter(queued("m")), kept::add)).isTrue();
        assertThat(letters.publish(letter(queued("n")), kept::add)).isTrue();
        fixture.letters.get(0).callback().onRouted(new RouteOutcome.Safe());
        fixture.letters.get(1).callback().onRouted(new RouteOutcome.NoSubscribers());
        assertThat(kept).isEmpty();
        fixture.run();
        assertThat(kept).containsExactly(true, false);
    }

    private Message letter(Queued queued) {
        return Objects.requireNonNull(letters.of(queued, DELIVERIES));
    }
}
