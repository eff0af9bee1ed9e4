package io.tributary.broker.security.store;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.store.Change.Absent;
import io.tributary.broker.security.store.Change.Condition;
import io.tributary.broker.security.store.Change.Is;
import io.tributary.broker.security.store.Change.Present;
import io.tributary.broker.security.store.ChangeResult.Conflict;
import io.tributary.broker.security.store.ChangeResult.Done;
import io.tributary.broker.security.store.ChangeResult.NotNow;
import io.tributary.broker.security.store.ChangeResult.Refused;
import io.tributary.broker.security.store.ChangeResult.Unknown;
import io.tributary.common.digest.Sha256;
import io.tributary.common.event.Principal;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nodes that share maps; the test says which of them owns shard 0, and since when. */
class SecurityStoreTest {
    private static final ClientInfo CLIENT = BanIndexTest.client("c", null);

    private final Map<String, SharedReplicatedMap> maps = new HashMap<>();
    private final List<TestNode> nodes = new ArrayList<>();
    private final AuditInMemory audit = new AuditInMemory();
    private Instant now = Instant.ofEpochMilli(1_000_000);

    /** A node: its store, its copies, and what it believes of its ownership. */
    private final class TestNode implements OwnerLink {
        private final SecurityStore store = new SecurityStore(SecurityRecorder.NONE, Duration.ZERO);
        private final Map<String, SharedReplicatedMap.Node> copies = new HashMap<>();
        private final RecordFormat format = RecordFormat.alone();
        private long epoch = -1;
        private @Nullable Function<byte[], CompletionStage<byte[]>> here;

        TestNode() {
            Map<String, ReplicatedMap> opened = new HashMap<>();
            for (String name : SecurityTable.mapNames()) {
                SharedReplicatedMap.Node copy = maps.computeIfAbsent(name, _ -> new SharedReplicatedMap())
                        .node();
                copies.put(name, copy);
                opened.put(name, copy);
            }
            CompletionStage<@Nullable Void> _ = store.open(
                    opened,
                    new SecurityStore.Node(() -> epoch, this, () -> now, format, () -> true, audit),
                    (_, _, _) -> {});
            store.begin();
            nodes.add(this);
        }

        @Override
        public @Nullable CompletionStage<byte[]> ask(byte[] question) {
            for (TestNode node : nodes) {
                Function<byte[], CompletionStage<byte[]>> there = node.here;
                if (!node.equals(this) && node.epoch >= 0 && there != null) {
                    return there.apply(question);
                }
            }
            return null;
        }

        @Override
        public void answerWith(Function<byte[], CompletionStage<byte[]>> owner) {
            here = owner;
        }

        ChangeResult put(String name, boolean disabled, Condition condition) {
            return change(Change.put(user(name, disabled), condition, "test", ""));
        }

        ChangeResult remove(String name, Condition condition) {
            return change(Change.remove(SecurityTable.USERS, "r:" + name, condition, "test", ""));
        }

        ChangeResult change(Change change) {
            return store.change(change)
                    .toCompletableFuture()
                    .orTimeout(20, SECONDS)
                    .join();
        }

        SharedReplicatedMap.Node users() {
            return Objects.requireNonNull(copies.get("users"));
        }

        @Nullable
        Boolean disabled(String name) {
            StoredUser user = store.user("r", name);
            return user == null ? null : user.disabled();
        }
    }

    private SharedReplicatedMap map(String name) {
        return Objects.requireNonNull(maps.get(name));
    }

    private static StoredEntry entry(Map<String, byte[]> stored, String key) {
        return StoredEntry.decode(Objects.requireNonNull(stored.get(key)), RecordFormat.NEWEST);
    }

    private static StoredUser user(String name, boolean disabled) {
        return new StoredUser("r", name, 1, null, List.of(), null, null, Map.of(), disabled, null);
    }

    private static Stamp stampOf(ChangeResult result) {
        assertThat(result).isInstanceOf(Done.class);
        return ((Done) result).stamp();
    }

    @Test
    void allNodesHaveAChangeOfAnyNodeWhenItIsAnswered() {
        TestNode owner = new TestNode();
        TestNode other = new TestNode();
        owner.epoch = 7;

        Stamp first = stampOf(other.put("alice", false, new Absent()));

        assertThat(first).isEqualTo(new Stamp(7, 1));
        assertThat(owner.disabled("alice")).isFalse();
        assertThat(other.disabled("alice")).isFalse();
        assertThat(stampOf(owner.put("alice", true, new Is(first)))).isEqualTo(new Stamp(7, 2));
        assertThat(other.disabled("alice")).isTrue();
        assertThat(new TestNode().disabled("alice")).isTrue();
    }

    @Test
    void nothingChangesWhenTheConditionDoesNotHold() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        assertThat(owner.put("alice", true, new Present())).isEqualTo(new Conflict(null));
        Stamp first = stampOf(owner.put("alice", false, new Absent()));
        assertThat(owner.put("alice", true, new Absent())).isEqualTo(new Conflict(first));
        assertThat(owner.put("alice", true, new Is(new Stamp(7, 99)))).isEqualTo(new Conflict(first));
        assertThat(owner.remove("alice", new Is(new Stamp(7, 99)))).isEqualTo(new Conflict(first));
        assertThat(owner.disabled("alice")).isFalse();
        Stamp _ = stampOf(owner.remove("alice", new Is(first)));
        assertThat(owner.disabled("alice")).isNull();
        assertThat(owner.store.size(SecurityTable.USERS)).isZero();
        assertThat(owner.remove("alice", new Present())).isEqualTo(new Conflict(null));
    }

    /** The heart of it: what a writer that was replaced had answered stays, what it writes late does not count. */
    @Test
    void writerThatWasReplacedWritesInVainWhenItsWritesComeLate() {
        TestNode paused = new TestNode();
        TestNode next = new TestNode();
        TestNode third = new TestNode();
        paused.epoch = 7;
        Stamp first = stampOf(paused.put("alice", false, new Absent()));
        paused.users().stopWriting();
        CompletableFuture<ChangeResult> late = paused.store
                .change(Change.put(user("alice", true), new Is(first), "test", ""))
                .toCompletableFuture();
        CompletableFuture<ChangeResult> lateNew = paused.store
                .change(Change.put(user("mallory", false), new Absent(), "test", ""))
                .toCompletableFuture();
        next.epoch = 9;
        Stamp second = stampOf(next.change(Change.put(
                new StoredUser("r", "alice", 1, "new", List.of(), null, null, Map.of(), false, null),
                new Is(first),
                "test",
                "")));

        paused.users().goOnWriting();

        assertThat(late.join()).isInstanceOf(Unknown.class);
        assertThat(lateNew.join()).isInstanceOf(Unknown.class);
        for (TestNode node : List.of(paused, next, third)) {
            assertThat(node.disabled("alice")).isFalse();
            assertThat(node.disabled("mallory")).isNull();
            assertThat(Objects.requireNonNull(node.store.find(SecurityTable.USERS, "r:alice"))
                            .stamp())
                    .isEqualTo(second);
        }
        // the map has the late ones as the last of their keys, until the owner has written the newer ones again
        next.store.tick();
        Map<String, byte[]> stored = map("users").stored();
        assertThat(entry(stored, "entry/r:alice").stamp().epoch()).isEqualTo(9);
        assertThat(entry(stored, "entry/r:mallory").body()).isNull();
    }

    /** Format 3: the format, then the epoch of the owner that writes from now on. */
    @Test
    void claimHasTheBytesOfItsFormat() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Stamp _ = stampOf(owner.put("alice", false, new Absent()));
        assertThat(map("users").stored()).containsEntry("writer", HexFormat.of().parseHex("0407"));
    }

    /** Between the claim and the first write of the next owner, too: a user who was disabled must stay so. */
    @Test
    void lateWriteDoesNotCountThoughItsObjectWasNotChangedSince() {
        TestNode paused = new TestNode();
        TestNode next = new TestNode();
        paused.epoch = 7;
        Stamp first = stampOf(paused.put("alice", true, new Absent()));
        paused.users().stopWriting();
        CompletableFuture<ChangeResult> late = paused.store
                .change(Change.put(user("alice", false), new Is(first), "test", ""))
                .toCompletableFuture();
        next.epoch = 9;
        Stamp _ = stampOf(next.put("bob", false, new Absent()));
        paused.users().goOnWriting();
        assertThat(late.join()).isInstanceOf(Unknown.class);
        assertThat(next.disabled("alice")).isTrue();
        next.store.tick();
        assertThat(new TestNode().disabled("alice")).isTrue();
    }

    @Test
    void removalStaysWhenAnOlderEntryComesLate() {
        TestNode paused = new TestNode();
        TestNode next = new TestNode();
        paused.epoch = 7;
        Stamp first = stampOf(paused.put("alice", false, new Absent()));
        paused.users().stopWriting();
        CompletableFuture<ChangeResult> _ = paused.store
                .change(Change.put(user("alice", false), new Is(first), "test", ""))
                .toCompletableFuture();
        next.epoch = 9;
        Stamp _ = stampOf(next.remove("alice", new Is(first)));
        paused.users().goOnWriting();
        assertThat(next.disabled("alice")).isNull();
        next.store.tick();
        assertThat(new TestNode().disabled("alice")).isNull();
    }

    @Test
    void removedObjectIsForgottenWhenADayIsOver() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Stamp first = stampOf(owner.put("alice", false, new Absent()));
        Stamp _ = stampOf(owner.remove("alice", new Is(first)));
        tickForAMinute(owner);
        assertThat(map("users").stored()).containsKey("entry/r:alice");
        now = now.plusSeconds(100_000);
        tickForAMinute(owner);
        assertThat(map("users").stored()).doesNotContainKey("entry/r:alice");
        Stamp _ = stampOf(owner.put("alice", false, new Absent()));
    }

    @Test
    void tokensGoWhenTheirUserIsGone() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Stamp _ = stampOf(owner.put("alice", false, new Absent()));
        Stamp _ = stampOf(owner.put("bob", false, new Absent()));
        for (String user : List.of("r:alice", "r:bob", "r:nobody")) {
            byte[] sha256 = Sha256.of(user.getBytes(StandardCharsets.UTF_8));
            Stamp _ = stampOf(
                    owner.change(Change.put(new DeviceToken(sha256, user, 1, null, null), new Absent(), "test", "")));
        }
        Stamp _ = stampOf(owner.remove("alice", new Present()));
        tickForAMinute(owner);
        assertThat(owner.store.page(SecurityTable.TOKENS, "", 10).entries())
                .extracting(entry -> ((DeviceToken) entry.object()).user())
                .containsExactly("r:bob");
    }

    /** What is asked on an event loop must not take the longer the more users were removed. */
    @Test
    void nextObjectIsNotLookedForBehindMany() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        for (int i = 100; i < 220; i++) {
            Stamp _ = stampOf(owner.put("a" + i, false, new Absent()));
            Stamp _ = stampOf(owner.remove("a" + i, new Present()));
        }
        Stamp _ = stampOf(owner.put("b", false, new Absent()));
        assertThat(owner.store.next(SecurityTable.USERS, "r:a")).isNull();
        for (String near : List.of("r:a120", "r:a219", "r:ab")) {
            assertThat(Objects.requireNonNull(owner.store.next(SecurityTable.USERS, near))
                            .object()
                            .id())
                    .isEqualTo("r:b");
        }
        assertThat(owner.store.next(SecurityTable.USERS, "r:b")).isNull();
    }

    /** No device token could name it. Earlier versions made such users, and they stay. */
    @Test
    void newUserWhoseIdIsTooLongIsRefused() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        String longest = "n".repeat(254);
        Stamp _ = stampOf(owner.put(longest, false, new Absent()));
        assertThat(owner.put(longest + "n", false, new Absent()))
                .isInstanceOfSatisfying(
                        Refused.class, no -> assertThat(no.why()).contains("more than 256 bytes together"));
        StoredUser old = user(longest + "n", false);
        CompletionStage<@Nullable Void> _ = owner.users()
                .put(
                        "entry/" + old.id(),
                        new StoredEntry(new Stamp(7, 1), 1, SecurityCodec.encode(old)).encode(RecordFormat.NEWEST));
        assertThat(owner.disabled(old.name())).isFalse();
        Stamp _ = stampOf(owner.put(old.name(), true, new Present()));
        assertThat(owner.disabled(old.name())).isTrue();
    }

    private static void tickForAMinute(TestNode node) {
        for (int second = 0; second < 60; second++) {
            node.store.tick();
        }
    }

    private static Rules rulesOf(TestNode node) {
        Rules rules = new Rules(List.of());
        StoredRules.decideIn(rules, List.of(), node.store);
        return rules;
    }

    /** What is in the store of the rule set {@code odd} cannot be read from now on. */
    private static void damageRuleSet(TestNode owner) {
        SharedReplicatedMap.Node copy = Objects.requireNonNull(owner.copies.get("rules"));
        CompletionStage<@Nullable Void> _ = copy.put("entry/odd", new byte[] {3, 9, 9});
    }

    @Test
    void ruleSetsOfTheStoreDecideBehindThoseOfTheConfigurationInTheirOrder() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Rules rules = rulesOf(owner);
        assertThat(rules.mayReceive(CLIENT, "a/b")).as("without rules").isTrue();

        Stamp _ = stampOf(owner.change(Change.put(ruleSet("allow", 2, true, "a/#"), new Absent(), "test", "")));
        Stamp _ = stampOf(owner.change(Change.put(ruleSet("deny", 1, false, "a/b"), new Absent(), "test", "")));
        owner.store.tick();
        assertThat(rules.mayReceive(CLIENT, "a/b")).isFalse();
        assertThat(rules.mayReceive(CLIENT, "a/c")).isTrue();
        assertThat(rules.mayReceive(CLIENT, "c")).isFalse();
    }

    /** A rule set of which nothing is known may be one that denies. */
    @Test
    void nothingIsAllowedWhileARuleSetWasNeverRead() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Rules rules = rulesOf(owner);
        damageRuleSet(owner);
        owner.store.tick();
        assertThat(rules.mayReceive(CLIENT, "a")).isFalse();
        assertThat(rules.mayPublish(CLIENT, "a", QoS.AT_MOST_ONCE, false)).isFalse();
        assertThat(rules.bind(CLIENT).maySubscribe("a", QoS.AT_LEAST_ONCE).granted())
                .isFalse();
        List<Rule> own = OwnRules.parse(List.of(Map.of("allow", "all", "topic", "$plant/#")));
        ClientInfo withOwn =
                ClientInfo.away("o", null, new Principal("r", "o", null, null, List.of(), null, OwnRules.text(own)));
        assertThat(rules.mayReceive(withOwn, "$plant/a")).isFalse();
        assertThat(rules.mayPublish(withOwn, "$plant/a", QoS.AT_MOST_ONCE, false))
                .isFalse();
        assertThat(rules.maySubscribe(withOwn, "$plant/a", QoS.AT_MOST_ONCE)).isFalse();
        assertThat(rules.bind(CLIENT).standing("a", QoS.AT_LEAST_ONCE).leaves(QoS.AT_LEAST_ONCE))
                .as("what is there already stays")
                .isTrue();

        Stamp _ = stampOf(owner.change(Change.put(ruleSet("odd", 1, true, "a"), new Absent(), "test", "")));
        owner.store.tick();
        assertThat(rules.mayReceive(CLIENT, "a")).isTrue();
        assertThat(rules.mayReceive(withOwn, "$plant/a")).isTrue();
        assertThat(rules.bind(CLIENT).standing("b", QoS.AT_LEAST_ONCE).granted())
                .isFalse();
    }

    /** Each version has all subscriptions looked at again. */
    @Test
    void rulesStandStillWhileARuleSetWasNeverReadAndAUserHasChanged() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Rules rules = rulesOf(owner);
        damageRuleSet(owner);
        List<StoredRuleSet.Line> own = List.of(new StoredRuleSet.Line(true, "all", "a", null, null));
        StoredUser ruled = new StoredUser("r", "o", 1, null, List.of(), null, null, Map.of(), false, null, own);
        Stamp _ = stampOf(owner.change(Change.put(ruled, new Absent(), "test", "")));
        owner.store.tick();
        long version = rules.version();
        for (int i = 0; i < 3; i++) {
            owner.store.tick();
        }
        assertThat(rules.version()).isEqualTo(version);
    }

    /** The set as it was before stands for the one that cannot be read. */
    @Test
    void nothingIsTakenAwayWhileTheNewestRecordOfARuleSetCannotBeRead() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Rules rules = rulesOf(owner);
        Stamp _ = stampOf(owner.change(Change.put(ruleSet("odd", 1, true, "a"), new Absent(), "test", "")));
        damageRuleSet(owner);
        Stamp _ = stampOf(owner.change(Change.put(ruleSet("more", 2, true, "c"), new Absent(), "test", "")));
        owner.store.tick();
        assertThat(rules.bind(CLIENT).maySubscribe("b", QoS.AT_LEAST_ONCE).granted())
                .isFalse();
        assertThat(rules.bind(CLIENT).standing("b", QoS.AT_LEAST_ONCE).granted())
                .isTrue();
    }

    @Test
    void rulesThatHoldStayWhileTheStoreIsClosed() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Rules rules = rulesOf(owner);
        Stamp _ = stampOf(owner.change(Change.put(ruleSet("set", 1, true, "a"), new Absent(), "test", "")));
        owner.store.tick();
        Stamp _ = stampOf(owner.change(Change.put(ruleSet("more", 2, true, "b"), new Absent(), "test", "")));
        owner.store.close();
        owner.store.tick();
        assertThat(rules.mayReceive(CLIENT, "a")).isTrue();
        assertThat(rules.mayReceive(CLIENT, "b")).isFalse();
    }

    @Test
    void banIsRemovedWhenItIsOver() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Ban ban = new Ban("short", Ban.Subject.CLIENT_ID, "c", null, now.plusSeconds(10), false);
        Stamp _ = stampOf(owner.change(Change.put(ban, new Absent(), "test", "")));
        tickForAMinute(owner);
        assertThat(owner.store.size(SecurityTable.BANS)).isEqualTo(1);
        now = now.plusSeconds(10);
        tickForAMinute(owner);
        assertThat(owner.store.size(SecurityTable.BANS)).isZero();
    }

    private static StoredRuleSet ruleSet(String name, int order, boolean allows, String topic) {
        return new StoredRuleSet(
                name, order, Map.of(), List.of(new StoredRuleSet.Line(allows, "all", topic, null, null)));
    }

    /** Nothing opens: a user that cannot be read is none, a ban that cannot be read stays as it was. */
    @Test
    void damagedRecordOpensNothing() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Stamp _ = stampOf(owner.put("alice", false, new Absent()));
        Stamp _ = stampOf(owner.change(Change.put(ban("bad"), new Absent(), "test", "")));
        CompletionStage<@Nullable Void> _ = owner.users().put("entry/r:alice", new byte[] {3, 9, 9});
        CompletionStage<@Nullable Void> _ =
                Objects.requireNonNull(owner.copies.get("bans")).put("entry/bad", new byte[] {3, 9, 9});
        assertThat(owner.disabled("alice")).isNull();
        assertThat(owner.store.bans().isBanned("mallory", null)).isTrue();
        assertThat(owner.store.problems()).hasSize(2).anyMatch(words -> words.contains("r:alice"));
        Stamp _ = stampOf(owner.put("alice", false, new Absent()));
        assertThat(owner.disabled("alice")).isFalse();
        assertThat(owner.store.problems()).hasSize(1);
    }

    /** As after a restart: a map has the last record alone, and nobody knows whom the ban was for. */
    @Test
    void damagedBanIsAProblemWhenItWasNeverRead() {
        TestNode node = new TestNode();
        node.epoch = 7;
        SharedReplicatedMap.Node copy = Objects.requireNonNull(node.copies.get("bans"));
        CompletionStage<@Nullable Void> _ = copy.put("entry/lost", new byte[] {3, 9, 9});
        Stamp _ = stampOf(node.change(Change.put(ban("bad"), new Absent(), "test", "")));
        CompletionStage<@Nullable Void> _ = copy.put("entry/bad", new byte[] {3, 9, 9});
        assertThat(node.store.problems())
                .containsExactlyInAnyOrder(
                        "the entry lost of map bans cannot be read and does not count (it bans nobody); write it again",
                        "the entry bad of map bans cannot be read and does not count (the one before holds until this node"
                                + " restarts); write it again");
    }

    @Test
    void nodeIsTooOldWhenARecordIsOfANewerFormat() {
        TestNode owner = new TestNode();
        CompletionStage<@Nullable Void> _ =
                owner.users().put("entry/r:alice", new byte[] {(byte) (RecordFormat.NEWEST + 1), 1});
        assertThat(owner.format.isTooOld()).isTrue();
        assertThat(owner.format.unreadRecord()).contains("r:alice");
    }

    @Test
    void objectThatIsNotWellMadeIsRefused() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Change wrong = new Change(SecurityTable.USERS, "r:alice", new Absent(), new byte[] {1, 2}, "test", "");
        assertThat(owner.change(wrong)).isInstanceOf(Refused.class);
        Change other = new Change(
                SecurityTable.USERS, "r:bob", new Absent(), SecurityCodec.encode(user("alice", false)), "test", "");
        assertThat(owner.change(other)).isInstanceOf(Refused.class);
        assertThat(map("users").stored()).isEmpty();
    }

    @Test
    void changeIsNotMadeWhenNobodyOwnsTheShard() {
        TestNode alone = new TestNode();
        assertThat(alone.put("alice", false, new Absent())).isInstanceOf(NotNow.class);
        assertThat(map("users").changes()).isZero();
    }

    @Test
    void nothingChangesWhenTheAuditLogTakesNoEntry() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        Stamp first = stampOf(owner.put("alice", false, new Absent()));
        assertThat(owner.put("alice", true, new Absent())).isInstanceOf(Conflict.class);
        assertThat(audit.entries)
                .hasSize(1)
                .first()
                .asString()
                .matches(
                        "\\{\"by\":\"test\",\"from\":\"\",\"action\":\"put\",\"table\":\"users\",\"id\":\"r:alice\",\"after\":\"[0-9a-f]{32}\"}");
        audit.refusal = new IllegalStateException("the disk is full");
        assertThat(owner.remove("alice", new Is(first)))
                .isEqualTo(new NotNow("the audit log does not take an entry: the disk is full"));
        assertThat(owner.disabled("alice")).isFalse();
    }

    @Test
    void pagesHaveAllObjectsInOrder() {
        TestNode owner = new TestNode();
        owner.epoch = 7;
        for (String name : List.of("c", "a", "b", "gone", "d")) {
            Stamp _ = stampOf(owner.put(name, false, new Absent()));
        }
        Stamp _ = stampOf(owner.remove("gone", new Present()));
        List<String> seen = new ArrayList<>();
        String after = "";
        while (after != null) {
            SecurityStore.Page page = owner.store.page(SecurityTable.USERS, after, 2);
            page.entries().forEach(entry -> seen.add(entry.object().id()));
            assertThat(page.entries()).hasSizeLessThanOrEqualTo(2);
            after = page.next();
        }
        assertThat(seen).containsExactly("r:a", "r:b", "r:c", "r:d");
        assertThat(owner.store.size(SecurityTable.USERS)).isEqualTo(4);
    }

    private static Ban ban(String name) {
        return new Ban(name, Ban.Subject.CLIENT_ID, "mallory", null, null, false);
    }

    /** Strangers cause them: neither the store nor the audit log is theirs to fill. */
    @Test
    void automaticBansAreLimitedAndNotInTheAuditLog() {
        TestNode owner = new TestNode();
        TestNode other = new TestNode();
        owner.epoch = 7;
        for (int i = 0; i < 10; i++) {
            assertThat((i % 2 == 0 ? owner : other).change(automatic(i))).isInstanceOf(Done.class);
        }
        assertThat(other.change(automatic(10))).isInstanceOf(Refused.class);
        owner.store.tick();
        assertThat(other.change(automatic(10))).isInstanceOf(Done.class);
        assertThat(audit.entries).isEmpty();
        Change lifted = Change.remove(SecurityTable.BANS, automatic(0).id(), new Present(), "administrator", "");
        assertThat(owner.change(lifted)).isInstanceOf(Done.class);
        assertThat(audit.entries).hasSize(1);
        for (String name : List.of("guard", "broker")) { // as an administrator may be called
            Ban ban = new Ban("by-" + name, Ban.Subject.CLIENT_ID, "c", null, null, false);
            assertThat(owner.change(Change.put(ban, new Absent(), name, ""))).isInstanceOf(Done.class);
        }
        assertThat(audit.entries).hasSize(3);
    }

    private Change automatic(int number) {
        return Change.automatic(
                Ban.automatic(Ban.Subject.CLIENT_ID, "c" + number, "flapping", now.plusSeconds(60)), new Absent());
    }
}
