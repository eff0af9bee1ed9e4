package io.tributary.broker.shard.fold;

import static io.tributary.broker.shard.fold.Samples.FOREVER;
import static io.tributary.broker.shard.fold.Samples.WILL;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.member;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only the principal whose session it is gets it. */
class WhoseSessionTest {
    private static final Principal ALICE = Principal.ofUser("alice");
    private static final Principal MALLORY = Principal.ofUser("mallory");
    private static final long NOW = 1_000_000;

    private final RecordingEffects effects = new RecordingEffects();
    private ShardState state = new ShardState(effects, new Claim(ShardStore.NOTHING_APPLIED, -1, List.of()));
    private long offset;
    private long nowMillis = NOW;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectedSessionGoesOnUndisturbed(boolean cleanStart) {
        fold(attach(ALICE, 7, false, FOREVER), publish("m", recipient("a", 0)));
        StoredSession before = session().toStored();
        effects.take();
        fold(attach(MALLORY, 8, cleanStart, FOREVER));
        assertThat(effects.take()).containsExactly("refused a/8, IS_SOMEBODY_ELSES");
        assertThat(session().toStored()).usingRecursiveComparison().isEqualTo(before);
        assertThat(session().will()).isEqualTo(WILL);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectedTransientSessionGoesOnUndisturbed(boolean cleanStart) {
        fold(attach(ALICE, 7, true, 0));
        effects.take();
        fold(attach(MALLORY, 8, cleanStart, 0));
        assertThat(effects.take()).containsExactly("refused a/8, IS_SOMEBODY_ELSES");
        assertThat(session().connection()).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void storedSessionKeepsItsMessages(boolean cleanStart) {
        fold(attach(ALICE, 7, false, 60), detach("a", 0, false, 60), publish("m", recipient("a", 0)));
        effects.take();
        nowMillis += 59_999;
        fold(attach(MALLORY, 8, cleanStart, 60));
        assertThat(effects.take()).containsExactly("refused a/8, IS_SOMEBODY_ELSES");
        fold(attach(ALICE, 9, false, 60));
        assertThat(effects.take()).contains("attached a");
        assertThat(session().session()).isZero();
        assertThat(session().queuedMessages()).isEqualTo(1);
    }

    @Test
    void expiredSessionIsFreeForEverybody() {
        fold(attach(ALICE, 7, false, 60), detach("a", 0, false, 60), publish("m", recipient("a", 0)));
        nowMillis += 60_000;
        fold(attach(MALLORY, 8, false, 60));
        assertThat(session().session()).isEqualTo(3);
        assertThat(session().principal()).isEqualTo(MALLORY);
        assertThat(session().queuedMessages()).isZero();
        effects.take();
        fold(attach(ALICE, 9, false, 60));
        assertThat(effects.take()).containsExactly("refused a/9, IS_SOMEBODY_ELSES");
    }

    /** What waits for another member of a shared subscription is of a session that is over. */
    @Test
    void sessionThatIsOverIsFreeWhileItsSharedMessagesWait() {
        fold(attach(ALICE, 7, false, FOREVER), publish("m", member("a", 0, QoS.AT_LEAST_ONCE)));
        fold(detach("a", 0, false, 0));
        fold(attach(MALLORY, 8, false, FOREVER));
        assertThat(session().principal()).isEqualTo(MALLORY);
        assertThat(session().leftUpTo()).isEqualTo(1);
    }

    @Test
    void samePrincipalTakesItsSessionOverWhateverElseIsKnownOfIt() {
        fold(attach(ALICE, 7, false, FOREVER));
        Principal later = new Principal("", "alice", null, "plant-7", List.of("operators"), "alice.example");
        fold(attach(later, 8, false, FOREVER));
        assertThat(session().connection()).isEqualTo(8);
        assertThat(session().principal()).isEqualTo(later);
        effects.take();
        fold(attach(new Principal("another realm", "alice"), 9, false, FOREVER));
        assertThat(effects.take()).containsExactly("refused a/9, IS_SOMEBODY_ELSES");
    }

    @Test
    void anybodyGetsTheSessionWhereTheConfigurationSaysSo() {
        fold(attach(ALICE, 7, false, FOREVER));
        effects.take();
        Attach attach = attach(MALLORY, 8, false, FOREVER);
        fold(new Attach("a", "here", 8, false, FOREVER, 10, ClientKind.DEVICE, null, attach.principal(), true));
        assertThat(effects.take()).contains("attached a from here/7");
        assertThat(session().session()).isZero();
        assertThat(session().principal()).isEqualTo(MALLORY);
    }

    @Test
    void sessionOfFormat1BelongsToTheFirstWhoResumesIt() {
        fold(inFormat1(attach(ALICE, 7, false, FOREVER)), detach("a", 0, 0));
        assertThat(session().principal()).isNull();
        fold(attach(MALLORY, 8, false, FOREVER));
        assertThat(session().session()).isZero();
        effects.take();
        fold(attach(ALICE, 9, false, FOREVER));
        assertThat(effects.take()).containsExactly("refused a/9, IS_SOMEBODY_ELSES");
    }

    @Test
    void connectionOfFormat1LeavesTheSessionWhoseItIs() {
        fold(attach(ALICE, 7, false, FOREVER), inFormat1(attach(MALLORY, 8, false, FOREVER)));
        assertThat(session().connection()).isEqualTo(8);
        assertThat(session().principal()).isEqualTo(ALICE);
    }

    @Test
    void nextSessionIsTheSamePrincipalsWhenTheResumedOneWasOver() {
        fold(new Owner("here"), attach(ALICE, 7, false, FOREVER), new SessionExpired(0, "a", 1, 0));
        assertThat(session().session()).isEqualTo(2);
        assertThat(session().principal()).isEqualTo(ALICE);
    }

    @Test
    void storeKnowsWhoseItIs() {
        fold(attach(ALICE, 7, false, FOREVER));
        SavePoint saved = state.takeSavePoint(0, ShardStore.NOTHING_APPLIED);
        state = new ShardState(effects, new Claim(0, -1, List.of()));
        state.load(saved.sessions(), List.of());
        effects.take();
        fold(attach(MALLORY, 8, true, FOREVER));
        assertThat(effects.take()).containsExactly("refused a/8, IS_SOMEBODY_ELSES");
    }

    /** The node that owned the shard died before the will was published. */
    @Test
    void dueWillIsThatOfThePrincipalOfItsSessionWhenItIsLoaded() {
        fold(attach(ALICE, 7, false, FOREVER), detach("a", 0, true, FOREVER));
        reload();
        fold(attach(new Principal("", "alice", null, "plant-7", List.of(), null), 8, false, FOREVER));
        assertThat(state.principalOfWill("a", 0)).isEqualTo(ALICE);
    }

    @Test
    void dueWillIsNobodysWhenItIsLoadedAndItsSessionIsOver() {
        fold(attach(ALICE, 7, false, 0), detach("a", 0, true, 0), attach(MALLORY, 8, false, FOREVER));
        reload();
        assertThat(state.dueWills()).hasSize(1);
        assertThat(state.principalOfWill("a", 0)).isNull();
    }

    private void reload() {
        SavePoint saved = state.takeSavePoint(0, ShardStore.NOTHING_APPLIED);
        state = new ShardState(effects, new Claim(0, -1, List.of()));
        state.load(saved.sessions(), saved.wills());
    }

    private SessionState session() {
        return Objects.requireNonNull(state.client("a"));
    }

    private void fold(ShardEvent... events) {
        for (ShardEvent event : events) {
            state.apply(offset++, nowMillis, event);
        }
    }

    private static ShardEvent inFormat1(ShardEvent event) {
        return EventCodec.decode(EventCodec.encode(event, 1));
    }

    private static Attach attach(@Nullable Principal who, long connection, boolean cleanStart, long expirySeconds) {
        return new Attach("a", "here", connection, cleanStart, expirySeconds, 10, ClientKind.DEVICE, WILL, who, false);
    }
}
