package io.tributary.broker.group;

import static io.tributary.broker.group.GroupFixture.GROUP;
import static io.tributary.broker.group.GroupFixture.attached;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class GroupSessionTest {
    private final GroupFixture fixture = new GroupFixture();
    private final GroupSession session = new GroupSession(GROUP, -1, fixture.services, fixture.thread());

    @Test
    void isReadyOnceItIsAttachedAndSubscribed() {
        session.open();
        assertThat(fixture.told).containsExactly("attach " + GROUP);
        assertThat(session.isAttachedUpTo(6)).isFalse();
        assertThat(session.isAttachedUpTo(7)).isTrue();
        session.attached(attached(7));
        assertThat(session.isOpen()).isTrue();
        assertThat(session.isReady()).isFalse();
        fixture.run();
        assertThat(session.isReady()).isTrue();
        assertThat(session.has(7)).isTrue();
        assertThat(fixture.isHosted()).isTrue();
    }

    @Test
    void shareNameOfAClientCannotForgeALineOfTheLog() {
        Logger logger = (Logger) LoggerFactory.getLogger(GroupSession.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            GroupSession other = new GroupSession("$share/g\nERROR/t", -1, fixture.services, fixture.thread());
            other.open();
            other.attached(attached(7));
            fixture.run();
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("This node hands out the messages of $share/g?ERROR/t");
    }

    @Test
    void settlesAllOfATurnAtOnce() {
        start();
        session.settle(3);
        session.settle(4);
        assertThat(fixture.told).isEmpty();
        session.tellSettled();
        session.tellSettled();
        assertThat(fixture.told).containsExactly("settle [3, 4]");
    }

    @Test
    void leavesTheSessionToAnotherNode() {
        start();
        session.settle(3);
        session.close();
        assertThat(session.isOpen()).isFalse();
        assertThat(fixture.isHosted()).isTrue();
        session.leave();
        assertThat(fixture.told).containsExactly("settle [3]", "detach 8");
        assertThat(session.isOver()).isTrue();
        assertThat(fixture.isHosted()).isFalse();
    }

    @Test
    void detachesWhenTheAnswerComesAfterItHasLeft() {
        session.open();
        session.leave();
        session.attached(attached(7));
        assertThat(fixture.told).containsExactly("attach " + GROUP, "detach 8");
    }

    @Test
    void endsAMinuteAfterTheLastMemberHasLeft() {
        fixture.online("a");
        start();
        session.tick();
        fixture.gone("a");
        fixture.pass(Duration.ofSeconds(59));
        session.tick();
        assertThat(session.isOpen()).isTrue();
        fixture.pass(Duration.ofSeconds(2));
        session.tick();
        assertThat(session.isOpen()).isFalse();
        fixture.run();
        assertThat(fixture.told).containsExactly("detach 8 for good");
        assertThat(session.isOver()).isTrue();
    }

    @Test
    void endsAMinuteAfterAMemberThatWasThereBetweenTwoLooks() {
        start();
        session.tick();
        fixture.pass(Duration.ofSeconds(40));
        memberComesAndGoes();
        fixture.pass(Duration.ofSeconds(59));
        session.tick();
        assertThat(session.isOpen()).isTrue();
        fixture.pass(Duration.ofSeconds(2));
        session.tick();
        assertThat(session.isOpen()).isFalse();
    }

    @Test
    void goesOnWhenAMemberWasThereWhileItEnded() {
        start();
        fixture.pass(Duration.ofSeconds(61));
        session.tick();
        assertThat(session.isOpen()).isFalse();
        memberComesAndGoes();
        fixture.run();
        assertThat(session.isReady()).isTrue();
        assertThat(fixture.told).isEmpty();
    }

    @Test
    void goesOnWhenAMemberCameBeforeItEnded() {
        start();
        fixture.pass(Duration.ofSeconds(61));
        session.tick();
        assertThat(session.isOpen()).isFalse();
        fixture.online("a");
        fixture.run();
        assertThat(session.isReady()).isTrue();
        assertThat(fixture.isHosted()).isTrue();
        assertThat(fixture.told).isEmpty();
    }

    /** A member at a node that takes the session for hosted has its SUBACK, and its messages are in the session. */
    @Test
    void goesOnWhenOtherNodesMayTakeItForHosted() {
        start();
        fixture.pass(Duration.ofSeconds(61));
        fixture.routes.failWith(new IllegalStateException("too much waits"));
        session.tick();
        fixture.run();
        assertThat(session.isOpen()).isTrue();
        assertThat(fixture.told).isEmpty();
        fixture.routes.failWith(null);
        session.tick();
        fixture.run();
        assertThat(fixture.told).containsExactly("detach 8 for good");
        assertThat(session.isOver()).isTrue();
    }

    private void memberComesAndGoes() {
        fixture.online("a");
        session.membersChanged();
        fixture.gone("a");
        session.membersChanged();
    }

    private void start() {
        session.open();
        session.attached(attached(7));
        fixture.run();
        fixture.told.clear();
    }
}
