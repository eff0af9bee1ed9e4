package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.FOREVER;
import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.TopicProgress;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.TopicFound;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.app.AppTopics.AppTopic;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an owner does for applications: the fold of where they are, and what their connections are handed. */
class ApplicationsInShardTest {
    private static final AppTopic TOPIC = new AppTopic("erp", false);

    private final DeliveryFixture shard = DeliveryFixture.of(8, 100, Overflow.DROP_OLDEST);

    @BeforeEach
    void createTopic() {
        shard.topics.create(TOPIC);
    }

    @Test
    void messagesAreHandedOverFromTheTopic() {
        shard.fold(attach(7));
        append("1", "2");
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2");
    }

    @Test
    void newSessionBeginsBehindWhatWasThereBefore() {
        append("old");
        shard.fold(attach(7));
        append("new");
        assertThat(shard.target.take()).containsExactly("7: 2");
        shard.settle("erp", 2);
        shard.log();
        assertThat(progress().upTo()).isEqualTo(2);
    }

    @Test
    void whereANewSessionBeginsIsLoggedAtOnce() {
        append("old");
        shard.fold(attach(7));
        assertThat(shard.deliveries.toBeLogged.isUrgent()).isTrue();
        shard.log();
        assertThat(progress().upTo()).isEqualTo(1);
        append("new");
        shard.fold(attach(8));
        assertThat(shard.target.take()).contains("8: 2 dup").noneMatch(line -> line.startsWith("8: 1"));
    }

    @Test
    void whatWasMissedComesAtThePaceThatIsConfigured() {
        DeliveryFixture paced =
                new DeliveryFixture(DeliveryFixture.config(100, new QueueLimits(100, 1 << 20, Overflow.DROP_OLDEST))
                        .with(new QueueLimits(100, 1 << 20, Overflow.DROP_OLDEST), new CatchUpPace(20, 0)));
        paced.topics.create(TOPIC);
        paced.fold(attach(7));
        for (int i = 1; i <= 6; i++) {
            paced.topics.append(TOPIC, message("" + i), recipient(1), null, (_, _) -> {});
        }
        assertThat(paced.target.take()).containsExactly("7: 1");
        paced.nowMillis += 49;
        paced.deliveries.tick();
        paced.deliveries.flush();
        assertThat(paced.target.take()).isEmpty();
        paced.nowMillis++;
        paced.deliveries.tick();
        paced.deliveries.flush();
        assertThat(paced.target.take()).containsExactly("7: 2 3");
        paced.nowMillis += 100;
        paced.deliveries.tick();
        paced.deliveries.flush();
        assertThat(paced.target.take()).containsExactly("7: 4 5");
    }

    /**
     * The link broke while it was asked whether the topic is there, so it was asked again, and the first answer comes
     * last.
     */
    @Test
    void answerThatComesLateDoesNotPassOverWhatIsInFlight() {
        shard.fold(attach(7));
        append("1", "2");
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 2");
        shard.deliveries.attached(client(), 2);
        shard.deliveries.flush();
        append("3");
        shard.settle("erp", 1);
        shard.log();
        assertThat(progress().upTo()).isEqualTo(1);
        shard.target.take();
        shard.fold(detach("erp", 1, 3), attach(8));
        assertThat(shard.target.take()).containsExactly("8: 2 dup 3 dup");
    }

    @Test
    void acknowledgementsOfAConnectionThatIsGoneAreLogged() {
        shard.target.answers = true;
        shard.fold(attach(7));
        append("1", "2", "3");
        shard.target.take();
        shard.fold(detach("erp", 1, 3), attach(8));
        append("4");
        assertThat(shard.target.take()).containsExactly("asked for all that erp/1 settled");
        shard.deliveries.settle("erp", 1, new long[] {1, 2});
        shard.log();
        assertThat(progress().upTo()).isEqualTo(2);
        shard.allSettled("erp", 1);
        assertThat(shard.target.take()).containsExactly("8: 3 dup 4");
        shard.settle("erp", 3, 4);
        shard.log();
        assertThat(progress().upTo()).isEqualTo(4);
    }

    /** What is done with behind it has to be kept, so there must be an end to it. */
    @Test
    void messageThatIsNeverAcknowledgedStopsTheOthersInTheEnd() {
        DeliveryFixture wide = DeliveryFixture.of(1_000, 100, Overflow.DROP_OLDEST);
        wide.topics.create(TOPIC);
        wide.fold(attach(7));
        for (int i = 1; i <= 70_000; i++) {
            wide.topics.append(TOPIC, message("" + i), recipient(1), null, (_, _) -> {});
        }
        long last = settleAllBut(1, wide);
        assertThat(last).isBetween(65_535L, 65_535L + 1_000);
        wide.settle("erp", 1);
        assertThat(settleAllBut(1, wide)).isEqualTo(70_000);
    }

    /** The last message that was handed out. */
    private static long settleAllBut(long kept, DeliveryFixture of) {
        long last = 0;
        for (List<String> lines = of.target.take(); !lines.isEmpty(); lines = of.target.take()) {
            long[] handed = lines.stream()
                    .flatMap(line -> Stream.of(line.substring("7: ".length()).split(" ")))
                    .mapToLong(Long::parseLong)
                    .toArray();
            last = handed[handed.length - 1];
            of.settle("erp", LongStream.of(handed).filter(one -> one != kept).toArray());
        }
        return last;
    }

    @Test
    void nothingOfATopicThatIsMadeAnewIsPassedOver() {
        shard.fold(attach(7));
        append("1", "2", "3");
        shard.settle("erp", 1, 3);
        shard.log();
        shard.target.take();
        makeAnew(1000);
        append("4", "5");
        shard.deliveries.tick();
        shard.deliveries.flush();
        assertThat(shard.target.take()).containsExactly("7: 1001 1002");
        shard.settle("erp", 2, 1001);
        shard.log();
        assertThat(progress().upTo()).isEqualTo(1001);
        assertThat(progress().position()).isEqualTo(1);
        shard.fold(detach("erp", 1, 1002), attach(8));
        assertThat(shard.target.take()).containsExactly("8: 1002 dup");
        assertThat(shard.disowned).isEmpty();
    }

    /** The client may have sent a PUBREC for what it was handed by an owner before, which nobody else knows of. */
    @Test
    void connectionIsClosedWhenATopicIsLostBeforeAllOfItThatIsInFlightWasHandedAgain() {
        DeliveryFixture narrow = resumedWithMoreInFlightThanFits();
        narrow.target.take();
        narrow.topics.delete(TOPIC);
        narrow.topics.create(TOPIC);
        narrow.fold(new TopicFound(DeliveryFixture.OWNER, "erp", 1, "t2", 1000, 1001));
        narrow.topics.append(TOPIC, message("new"), recipient(1), null, (_, _) -> {});
        narrow.deliveries.tick();
        narrow.deliveries.flush();
        assertThat(narrow.disowned).containsExactly("erp");
        assertThat(narrow.target.take()).isEmpty();
    }

    /** It has no answer yet, and would end without a word. */
    @Test
    void connectionIsNotClosedForWhatTheOneBeforeItHasInFlight() {
        DeliveryFixture narrow = resumedWithMoreInFlightThanFits();
        narrow.answersLater = true;
        narrow.fold(attach(8));
        narrow.topics.delete(TOPIC);
        narrow.topics.create(TOPIC);
        narrow.fold(new TopicFound(DeliveryFixture.OWNER, "erp", 1, "t2", 1000, 1001));
        assertThat(narrow.disowned).isEmpty();
        narrow.target.take();
        narrow.topics.append(TOPIC, message("new"), recipient(1), null, (_, _) -> {});
        narrow.deliveries.attached(narrow.client("erp"), 1001);
        narrow.deliveries.tick();
        narrow.deliveries.flush();
        assertThat(narrow.target.take()).containsExactly("8: 1001");
    }

    /** An owner before may have handed out three messages; this one has room for two. */
    private DeliveryFixture resumedWithMoreInFlightThanFits() {
        DeliveryFixture narrow = DeliveryFixture.of(2, 100, Overflow.DROP_OLDEST);
        narrow.topics.create(TOPIC);
        narrow.fold(attach(7));
        for (String text : List.of("1", "2", "3")) {
            narrow.topics.append(TOPIC, message(text), recipient(1, QoS.EXACTLY_ONCE), null, (_, _) -> {});
        }
        narrow.deliveries.resumed(narrow.client("erp"), 3);
        narrow.deliveries.flush();
        return narrow;
    }

    private void makeAnew(long base) {
        shard.topics.delete(TOPIC);
        shard.topics.create(TOPIC);
        shard.fold(new TopicFound(DeliveryFixture.OWNER, "erp", client().session(), "t2", base, base + 1));
    }

    @Test
    void whatIsForAnotherSessionIsPassedOver() {
        shard.fold(attach(7));
        shard.topics.append(TOPIC, message("stray"), recipient(999), null, (_, _) -> {});
        append("mine");
        assertThat(shard.target.take()).containsExactly("7: 2");
    }

    @Test
    void logSaysOnlyHowFarWhenAllIsAcknowledgedInOrder() {
        shard.fold(attach(7));
        append("1", "2", "3");
        shard.settle("erp", 1, 2, 3);
        List<Settled> taken = shard.deliveries.takeSettled(DeliveryFixture.OWNER);
        assertThat(taken).hasSize(1);
        assertThat(taken.getFirst().clients().getFirst().settled()).isEmpty();
        assertThat(taken.getFirst().positions()).containsExactly(new TopicPosition("erp", 1, 1, 3, 3, List.of()));
        taken.forEach(shard::fold);
        assertThat(progress().upTo()).isEqualTo(3);
        assertThat(progress().settled()).isEmpty();
    }

    @Test
    void gapsAreKeptWhenAcknowledgedOutOfOrder() {
        shard.fold(attach(7));
        append("1", "2", "3", "4");
        shard.settle("erp", 1, 3);
        shard.log();
        assertThat(progress().upTo()).isEqualTo(1);
        assertThat(progress().settled()).containsExactly(3L);
        shard.target.take();
        shard.fold(detach("erp", 1, 4), attach(8));
        assertThat(shard.target.take()).containsExactly("8: 2 dup 4 dup");
    }

    @Test
    void nothingAcknowledgedComesAgainThoughTheLogDoesNotHaveItYet() {
        shard.fold(attach(7));
        append("1", "2", "3");
        shard.target.take();
        shard.settle("erp", 1, 3);
        List<Settled> underWay = shard.deliveries.takeSettled(DeliveryFixture.OWNER);
        shard.fold(detach("erp", 1, 3), attach(8));
        assertThat(shard.target.take()).containsExactly("8: 2 dup");
        underWay.forEach(shard::fold);
        shard.fold(detach("erp", 3, 3), attach(9));
        assertThat(shard.target.take()).containsExactly("9: 2 dup");
    }

    /** How far an application has come is logged before the numbers that are left out for that. */
    @Test
    void nothingAcknowledgedComesAgainThoughItTakesTwoRecordsToLog() {
        DeliveryFixture tight = DeliveryFixture.withRoom(512);
        tight.topics.create(TOPIC);
        tight.fold(Samples.attach("ab", 6), attach(7));
        tight.log(); // where a new session begins
        tight.publish("ab", "1", "2", "3", "4");
        tight.topics.append(TOPIC, message("1"), recipient(tight.client("erp").session()), null, (_, _) -> {});
        tight.settle("ab", 1, 2, 3, 4);
        tight.settle("erp", 1);
        List<Settled> records = tight.deliveries.takeSettled(DeliveryFixture.OWNER);
        assertThat(records).hasSize(2);
        assertThat(records.getFirst().clients()).first().returns("ab", ShardEvent.ClientSettled::clientId);
        tight.fold(records.getFirst());
        tight.target.take();
        tight.fold(detach("erp", tight.client("erp").epoch(), 1), attach(8));
        assertThat(tight.target.take()).isEmpty();
    }

    @Test
    void onlyPubrelIsOwedForWhatIsReceived() {
        shard.fold(attach(7));
        shard.topics.append(TOPIC, message("1"), recipient(1, QoS.EXACTLY_ONCE), null, (_, _) -> {});
        shard.receive("erp", 1);
        shard.log();
        assertThat(progress().released()).containsExactly(1L);
        shard.target.take();
        shard.fold(detach("erp", 1, 1), attach(8));
        assertThat(shard.target.take()).containsExactly("8: 1 PUBREL");
        shard.settle("erp", 1);
        shard.log();
        assertThat(progress().released()).isEmpty();
        assertThat(progress().upTo()).isEqualTo(1);
    }

    @Test
    void repeatsOfASourceAreSkippedAlsoAfterwards() {
        shard.fold(attach(7));
        append("1", new Source(5, 10, 0));
        append("1", new Source(5, 10, 0));
        append("2", new Source(5, 11, 0));
        assertThat(shard.target.take()).containsExactly("7: 1", "7: 3");
        shard.settle("erp", 1, 3);
        shard.log();
        assertThat(progress().sources()).containsEntry(5, new Source(5, 11, 0));
        shard.fold(detach("erp", 1, 3), attach(8));
        append("2", new Source(5, 11, 0));
        append("3", new Source(5, 12, 0));
        assertThat(shard.target.take()).containsExactly("8: 5");
    }

    @Test
    void sourceIsLoggedWithALaterPositionWhenTheFirstRecordIsLost() {
        shard.fold(attach(7));
        append("1", new Source(5, 10, 0));
        append("2", new Source(6, 1, 0));
        shard.settle("erp", 1);
        shard.deliveries.takeSettled(DeliveryFixture.OWNER); // the log refuses it
        shard.settle("erp", 2);
        shard.log();
        assertThat(progress().sources()).containsEntry(5, new Source(5, 10, 0)).containsEntry(6, new Source(6, 1, 0));
        append("3", new Source(6, 2, 0));
        shard.settle("erp", 3);
        assertThat(shard.deliveries
                        .takeSettled(DeliveryFixture.OWNER)
                        .getFirst()
                        .positions()
                        .getFirst()
                        .sources())
                .as("what the log has is not said again")
                .containsExactly(new Source(6, 2, 0));
    }

    @Test
    void whatWasSentIsUnknownAfterATakeoverUntilTheOwnerSaysSo() {
        shard.fold(attach(7));
        append("1", "2");
        shard.target.take();
        shard.fold(attach(8));
        assertThat(client().resendUpTo()).isEqualTo(SentUpTo.all(SessionState.UNKNOWN));
        assertThat(shard.target.take()).containsExactly("8: 1 dup 2 dup");
        append("3");
        assertThat(shard.target.take()).containsExactly("8: 3");
        shard.settle("erp", 1);
        shard.log();
        assertThat(client().resendUpTo()).isEqualTo(SentUpTo.all(3));
    }

    /** The node of the connection is dead, and does not say what it has sent. */
    @Test
    void onlyWhatTheOwnerHasHandedIsMaybeSentWhenNobodySaysMore() {
        shard.fold(attach(7));
        append("1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
        shard.target.take();
        shard.fold(detach("erp", 1, -1), attach(8));
        assertThat(shard.target.take()).containsExactly("8: 1 dup 2 dup 3 dup 4 dup 5 dup 6 dup 7 dup 8 dup");
        shard.settle("erp", 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(shard.target.take()).containsExactly("8: 9 10");
    }

    private SessionState client() {
        return shard.client("erp");
    }

    private TopicProgress progress() {
        return Objects.requireNonNull(client().topic());
    }

    private void append(String... texts) {
        for (String text : texts) {
            append(text, null);
        }
    }

    private void append(String text, @Nullable Source source) {
        SessionState known = shard.state.client("erp");
        shard.topics.append(TOPIC, message(text), recipient(known == null ? 0 : known.session()), source, (_, _) -> {});
    }

    private static Recipient recipient(long session) {
        return recipient(session, QoS.AT_LEAST_ONCE);
    }

    private static Recipient recipient(long session, QoS qos) {
        return new Recipient("erp", session, qos, false, List.of(), null, ClientKind.APPLICATION);
    }

    private static Attach attach(long connection) {
        return new Attach(
                "erp", NODE, connection, false, FOREVER, 10, ClientKind.APPLICATION, null, Principal.ANONYMOUS, false);
    }
}
