package io.tributary.security.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.DeviceToken;
import io.tributary.broker.security.store.OwnerLink;
import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.StoredUser;
import io.tributary.common.digest.Sha256;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.PasswordHash.Argon2id;
import io.tributary.security.work.WorkPool;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;
import org.bouncycastle.crypto.generators.PKCS5S2ParametersGenerator;
import org.bouncycastle.crypto.params.KeyParameter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Users that the broker keeps, as clients bring their names, passwords and tokens. */
class StoreAuthenticatorTest {
    private static final String PASSWORD_OF_OLD_HASH = "tributary";

    private final SecurityStore store = new SecurityStore(SecurityRecorder.NONE);
    private Instant now = Instant.ofEpochSecond(1_000);
    private final WorkPool hashing = WorkPool.computing("test-hashing", 1, 100);
    private final Link users =
            new StoreAuthenticator.Config("r").open("users", new AuthenticatorContext(() -> now, hashing, store));

    @BeforeEach
    void openStore() {
        Map<String, ReplicatedMap> maps = new HashMap<>();
        SecurityTable.mapNames().forEach(name -> maps.put(name, new MapInMemory()));
        CompletionStage<@Nullable Void> _ = store.open(
                maps,
                new SecurityStore.Node(
                        () -> 1, OwnerLink.NONE, () -> now, RecordFormat.alone(), () -> true, new NoAudit()),
                (_, _, _) -> {});
        store.begin();
    }

    @AfterEach
    void close() {
        hashing.close();
    }

    @Test
    void knowsARightPasswordFromAWrongOne() {
        put(user("alice", 1, "secret", false, null));
        assertThat(ask("alice", "secret"))
                .isEqualTo(new Accepted(
                        ClientKind.APPLICATION,
                        user("alice", 1, "secret", false, null).principal(),
                        null,
                        Map.of("site", "7")));
        assertThat(ask("alice", "secret")).isInstanceOf(Accepted.class); // remembered
        assertThat(ask("alice", "wrong")).isInstanceOf(Refused.class);
        assertThat(ask("alice", "")).isInstanceOf(Refused.class);
        assertThat(ask(null, "secret")).isInstanceOf(NotMine.class);
    }

    @Test
    void passwordDoesNotCountWhenItWasChanged() {
        put(user("alice", 1, "old", false, null));
        assertThat(ask("alice", "old")).isInstanceOf(Accepted.class);
        put(user("alice", 1, "new", false, null));
        assertThat(ask("alice", "old")).isInstanceOf(Refused.class);
        assertThat(ask("alice", "new")).isInstanceOf(Accepted.class);
    }

    @Test
    void passwordDoesNotCountWhenItIsChangedWhileItWaits() throws Exception {
        put(user("alice", 1, "old", false, null));
        CountDownLatch changed = holdHashing();
        CompletionStage<Result> answer = begin("alice", "old");
        put(user("alice", 1, "new", false, null));
        changed.countDown();
        assertThat(answer.toCompletableFuture().join())
                .isInstanceOfSatisfying(
                        Refused.class, no -> assertThat(no.message()).contains("changed meanwhile"));
    }

    @Test
    void userMayNotConnectWhenDisabledExpiredOrDeleted() {
        put(user("alice", 1, "secret", true, null));
        assertThat(ask("alice", "secret")).isInstanceOf(Refused.class);
        put(user("alice", 1, "secret", false, now.plusSeconds(10)));
        assertThat(ask("alice", "secret"))
                .isInstanceOfSatisfying(
                        Accepted.class, yes -> assertThat(yes.end()).isEqualTo(Instant.ofEpochSecond(1_010)));
        now = now.plusSeconds(10);
        assertThat(ask("alice", "secret")).isInstanceOf(Refused.class);
        change(Change.remove(SecurityTable.USERS, "r:alice", new Change.Present(), "", ""));
        assertThat(ask("alice", "secret")).isInstanceOf(NotMine.class);
    }

    @Test
    void tokenStandsForItsUserAloneAndForNobodyAfterThat() {
        put(user("meter", 1, null, false, null));
        put(user("other", 2, null, false, null));
        String secret = DeviceToken.newSecret();
        DeviceToken token = token(secret, "r:meter", 1, now.plusSeconds(60));
        put(token);
        assertThat(ask("meter", secret))
                .isInstanceOfSatisfying(
                        Accepted.class, yes -> assertThat(yes.end()).isEqualTo(Instant.ofEpochSecond(1_060)));
        assertThat(ask("other", secret)).isInstanceOf(Refused.class);
        assertThat(ask("meter", DeviceToken.newSecret())).isInstanceOf(Refused.class);
        now = now.plusSeconds(60);
        assertThat(ask("meter", secret)).isInstanceOf(Refused.class);
        now = now.minusSeconds(60);
        change(Change.remove(SecurityTable.USERS, "r:meter", new Change.Present(), "", ""));
        put(user("meter", 3, null, false, null)); // the next one with the name
        assertThat(ask("meter", secret)).isInstanceOf(Refused.class);
        put(user("meter", 1, null, false, null));
        assertThat(ask("meter", secret)).isInstanceOf(Accepted.class);
        change(Change.remove(SecurityTable.TOKENS, token.id(), new Change.Present(), "", ""));
        assertThat(ask("meter", secret)).isInstanceOf(Refused.class);
    }

    /** The bearer has shown no password. */
    @Test
    void tokenThatGoesWhileItIsLookedAtLetsNobodyIn() {
        String old = mosquitto(PASSWORD_OF_OLD_HASH);
        put(new StoredUser("r", "meter", 1, old, List.of(), null, null, Map.of(), false, null));
        String secret = DeviceToken.newSecret();
        put(token(secret, "r:meter", 1, now.plusSeconds(60)));
        Iterator<Instant> times =
                Stream.iterate(now, time -> time.plusSeconds(60)).iterator();
        Link late =
                new StoreAuthenticator.Config("r").open("late", new AuthenticatorContext(times::next, hashing, store));
        assertThat(begin(late, "meter", secret).toCompletableFuture().join()).isInstanceOf(Refused.class);
        assertThat(hashing.submit(() -> hashOf("meter")).toCompletableFuture().join())
                .as("a token does not become a password")
                .isEqualTo(old);
    }

    @Test
    void nameThatIsNotThereTakesASlowHash() {
        put(user("alice", 1, "secret", false, null));
        Result answer = ask("nobody", "secret");
        assertThat(answer).isInstanceOf(NotMine.class);
        assertThat(((NotMine) answer).pretence()).isNotNull();
        assertThat(((NotMine) answer).pretence().get().toCompletableFuture().isDone())
                .as("it is a task of the pool for hashes")
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"$2b$04$EGdrhbKUv8Oc9vGiXX0HQOC7x/FiY5BvBGcvs8tODvacse791.dge", "$7$101$PBKDF2"})
    void oldHashIsReplacedWhenThePasswordWasRight(String form) {
        String old = form.endsWith("PBKDF2") ? mosquitto(PASSWORD_OF_OLD_HASH) : form;
        StoredUser user = new StoredUser("r", "old", 1, old, List.of(), null, null, Map.of(), false, null);
        put(user);
        assertThat(ask("old", "wrong")).isInstanceOf(Refused.class);
        assertThat(ask("old", PASSWORD_OF_OLD_HASH)).isInstanceOf(Accepted.class);
        await().until(() -> hashOf("old").startsWith("$argon2id$"));
        StoredUser now = Objects.requireNonNull(store.user("r", "old"));
        assertThat(now.hasPasswordOf(user)).isTrue();
        assertThat(now.withPasswordHash(hash(PASSWORD_OF_OLD_HASH)).hasPasswordOf(user))
                .as("somebody has set it again")
                .isFalse();
        assertThat(ask("old", PASSWORD_OF_OLD_HASH)).isInstanceOf(Accepted.class);
        assertThat(ask("old", "wrong")).isInstanceOf(Refused.class);
    }

    /** Another password has the same hash: which one is the user's nobody knows. */
    @Test
    void oldHashStaysWhenItIsThatOfOtherPasswordsToo() {
        String half = "0123456789abcdef0123456789abcdef0123";
        String old = OpenBSDBCrypt.generate(PasswordHash.utf8(half + half + "tail"), new byte[16], 4);
        put(new StoredUser("r", "old", 1, old, List.of(), null, null, Map.of(), false, null));
        assertThat(ask("old", half + half + "else")).isInstanceOf(Accepted.class);
        assertThat(ask("old", half + half + "tail")).isInstanceOf(Accepted.class);
        assertThat(hashing.submit(() -> hashOf("old")).toCompletableFuture().join())
                .as("behind whatever was begun")
                .isEqualTo(old);
    }

    @Test
    void oldHashIsNotReplacedWhenTheUserHasChangedMeanwhile() throws Exception {
        String old = mosquitto(PASSWORD_OF_OLD_HASH);
        StoredUser user = new StoredUser("r", "old", 1, old, List.of(), null, null, Map.of(), false, null);
        put(user);
        CountDownLatch held = holdHashing();
        new HashReplacement(store, hashing)
                .wasRight(user, PasswordHash.parse(old), PasswordHash.utf8(PASSWORD_OF_OLD_HASH));
        String another = mosquitto("another");
        put(user.withPasswordHash(another));
        held.countDown();
        assertThat(hashing.submit(() -> hashOf("old")).toCompletableFuture().join())
                .isEqualTo(another);
    }

    private String hashOf(String name) {
        return String.valueOf(Objects.requireNonNull(store.user("r", name)).passwordHash());
    }

    /** As mosquitto_passwd writes it. */
    private static String mosquitto(String password) {
        PKCS5S2ParametersGenerator generator = new PKCS5S2ParametersGenerator(new SHA512Digest());
        generator.init(PasswordHash.utf8(password), new byte[12], 101);
        byte[] key = ((KeyParameter) generator.generateDerivedMacParameters(512)).getKey();
        Base64.Encoder base64 = Base64.getEncoder();
        return "$7$101$" + base64.encodeToString(new byte[12]) + "$" + base64.encodeToString(key);
    }

    @Test
    void othersUsersAreNotMine() {
        put(new StoredUser("other", "alice", 1, hash("secret"), List.of(), null, null, Map.of(), false, null));
        assertThat(ask("alice", "secret")).isInstanceOf(NotMine.class);
    }

    @Test
    void nobodyIsKnownWhenTheStoreIsNotOpen() {
        put(user("alice", 1, "secret", false, null));
        store.close();
        assertThat(ask("alice", "secret")).isInstanceOf(Refused.class);
    }

    private Result ask(@Nullable String name, String password) {
        return begin(name, password).toCompletableFuture().join();
    }

    private CompletionStage<Result> begin(@Nullable String name, String password) {
        return begin(users, name, password);
    }

    private static CompletionStage<Result> begin(Link users, @Nullable String name, String password) {
        ClientInfo client = new ClientInfo("c", name, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
        return users.authenticator().authenticate(client, PasswordHash.utf8(password));
    }

    /** No password is checked until the result is counted down. */
    private CountDownLatch holdHashing() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        CompletionStage<?> _ = hashing.submit(() -> {
            begun.countDown();
            return await().until(() -> held.getCount() == 0, done -> done);
        });
        begun.await();
        return held;
    }

    private void put(SecurityObject object) {
        boolean isThere = store.find(object.table(), object.id()) != null;
        change(Change.put(object, isThere ? new Change.Present() : new Change.Absent(), "", ""));
    }

    private void change(Change change) {
        assertThat(store.change(change).toCompletableFuture().join()).isInstanceOf(ChangeResult.Done.class);
    }

    private static StoredUser user(
            String name, long serial, @Nullable String password, boolean disabled, @Nullable Instant expires) {
        return new StoredUser(
                "r",
                name,
                serial,
                password == null ? null : hash(password),
                List.of("g"),
                "acme",
                ClientKind.APPLICATION,
                Map.of("site", "7"),
                disabled,
                expires);
    }

    private static DeviceToken token(String secret, String user, long serial, @Nullable Instant expires) {
        return new DeviceToken(Sha256.of(PasswordHash.utf8(secret)), user, serial, null, expires);
    }

    private static String hash(String password) {
        return Argon2id.of(PasswordHash.utf8(password), PasswordHash.utf8("salt-of-16-bytes"))
                .toString();
    }

    private static final class NoAudit implements AuditLog {
        @Override
        public CompletionStage<@Nullable Void> append(byte[] entry) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<List<Entry>> read(long before, int most) {
            return CompletableFuture.completedStage(List.of());
        }

        @Override
        public void close() {}
    }

    /** A map that nobody else has. */
    private static final class MapInMemory implements ReplicatedMap {
        private @Nullable Follower follower;

        @Override
        public CompletionStage<@Nullable Void> follow(Follower newFollower) {
            follower = newFollower;
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<@Nullable Void> caughtUp() {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<@Nullable Void> put(String key, byte[] value) {
            return change(key, value);
        }

        @Override
        public CompletionStage<@Nullable Void> remove(String key) {
            return change(key, null);
        }

        private CompletionStage<@Nullable Void> change(String key, byte @Nullable [] value) {
            if (follower != null) {
                follower.onChange(key, value);
            }
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void close() {}
    }
}
