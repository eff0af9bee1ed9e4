package io.tributary.security.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator.Failure;
import io.tributary.broker.security.EnhancedAuthenticator.Success;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.time.SteadyClock;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.watch.FileContent;
import io.tributary.security.web.BadServer;
import io.tributary.security.web.WebClient;
import io.tributary.security.work.WorkPool;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens that Nimbus signs; a key server that rotates, hangs, drips, floods and dies. */
class JwtAuthenticatorTest {
    private static final byte[] SECRET = "a secret of thirty-two bytes or more".getBytes(StandardCharsets.UTF_8);
    private static final Instant LATER = Instant.ofEpochSecond(4_000_000_000L);
    private static final RSAKey RSA =
            make(() -> new RSAKeyGenerator(2_048).keyID("rsa-1").generate());
    private static final ECKey EC =
            make(() -> new ECKeyGenerator(Curve.P_256).keyID("ec-1").generate());

    @TempDir
    private Path folder;

    private final AuthenticatorContext context = AuthenticatorContext.create(new SteadyClock());
    private final List<Link> open = new ArrayList<>();

    /** Makes something that should not fail. */
    private interface Making<T> {
        T make() throws Exception;
    }

    @AfterEach
    void close() {
        open.forEach(link -> link.onClose().run());
        context.close();
    }

    @Test
    void tokenMayHaveRulesOfItsOwn() {
        TokenClaims claims = new TokenClaims("sub", null, null, null, null, null, "mqtt", List.of());
        Link link = open(new JwtConfig(new JwtConfig.Given(Keys.secret(SECRET)), null, null, null, claims, "id"));
        JWTClaimsSet plain = new JWTClaimsSet.Builder().subject("7").build();
        JWTClaimsSet ruled = new JWTClaimsSet.Builder(plain)
                .claim(
                        "mqtt",
                        List.of(Map.of("allow", "publish", "topic", "up/${clientid}", "max-qos", 1, "retain", false)))
                .build();
        assertThat(rulesOf(ask(link, "c", hmac(ruled)))).isEqualTo("+p1n up/${clientid}");
        assertThat(rulesOf(ask(link, "c", hmac(plain))))
                .as("a token without the claim allows nothing")
                .isEqualTo(OwnRules.NOTHING);
        for (Object wrong : List.of(
                "all",
                List.of(),
                List.of(Map.of("allow", "publish")),
                List.of(Map.of("allow", "publish", "topic", "x".repeat(Principal.MAX_RULES_BYTES))))) {
            JWTClaimsSet malformed =
                    new JWTClaimsSet.Builder(plain).claim("mqtt", wrong).build();
            assertThat(ask(link, "c", hmac(malformed)))
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.message()).contains("rules"));
        }
    }

    private static String rulesOf(Result result) {
        return Objects.requireNonNull(((Accepted) result).principal()).rules();
    }

    @Test
    void claimsBecomeThePrincipal() {
        TokenClaims claims = new TokenClaims(
                "sub",
                "device",
                "preferred_username",
                "org",
                "realm_access.roles",
                "kind",
                null,
                List.of("site", "absent"));
        Link link = open(new JwtConfig(new JwtConfig.Given(Keys.secret(SECRET)), null, null, null, claims, "id"));
        JWTClaimsSet all = new JWTClaimsSet.Builder()
                .subject("7")
                .expirationTime(Date.from(LATER))
                .claim("device", "meter-1")
                .claim("preferred_username", "ann")
                .claim("org", "acme")
                .claim("realm_access", Map.of("roles", List.of("reader", "writer")))
                .claim("kind", "application")
                .claim("site", 12)
                .build();
        assertThat(ask(link, "meter-1", hmac(all)))
                .isEqualTo(new Accepted(
                        ClientKind.APPLICATION,
                        new Principal("id", "7", "ann", "acme", List.of("reader", "writer"), null),
                        LATER,
                        Map.of("site", "12")));
        assertThat(ask(link, "meter-2", hmac(all))).isInstanceOf(Refused.class);
        assertThat(ask(link, "", hmac(all))).isInstanceOf(Refused.class);
        JWTClaimsSet robot =
                new JWTClaimsSet.Builder(all).claim("kind", "robot").build();
        assertThat(ask(link, "meter-1", hmac(robot))).isInstanceOf(Refused.class);
        JWTClaimsSet noTenant =
                new JWTClaimsSet.Builder(all).claim("org", "acme/beta").build();
        assertThat(ask(link, "meter-1", hmac(noTenant)))
                .isInstanceOfSatisfying(
                        Refused.class, no -> assertThat(no.message()).contains("the tenant must have 1 to 64 bytes"));
        JWTClaimsSet nobody = new JWTClaimsSet.Builder(all).subject(null).build();
        assertThat(ask(link, "meter-1", hmac(nobody))).isInstanceOf(Refused.class);
    }

    /** Its client would be of no tenant, and have the topics of nobody's. */
    @Test
    void tenantThatIsNoTextIsRefused() {
        for (Object odd : List.of(List.of("acme"), List.of(), Map.of("acme", "x"))) {
            JWTClaimsSet claims =
                    new JWTClaimsSet.Builder().subject("7").claim("org", odd).build();
            for (String claim : List.of("org", "org.name")) {
                boolean isAbsent = odd instanceof Map && claim.equals("org.name");
                assertThat(ask(ofTenant(claim), "c", hmac(claims)))
                        .as("%s in %s", claim, odd)
                        .isInstanceOf(isAbsent ? Accepted.class : Refused.class);
            }
        }
        JWTClaimsSet none = new JWTClaimsSet.Builder().subject("7").build();
        assertThat(ask(ofTenant("org"), "c", hmac(none))).isInstanceOf(Accepted.class);
        JWTClaimsSet within = new JWTClaimsSet.Builder()
                .subject("7")
                .claim("org", Map.of("name", "acme"))
                .build();
        assertThat(ask(ofTenant("org.name"), "c", hmac(within)))
                .isInstanceOfSatisfying(
                        Accepted.class,
                        yes -> assertThat(yes.principal())
                                .isEqualTo(new Principal("id", "7", null, "acme", List.of(), null)));
    }

    /** A rule may deny by a group that is not understood. */
    @Test
    void groupsThatAreNoTextsAreRefused() {
        for (Object odd :
                List.of(Map.of("suspended", true), List.of(Map.of("name", "a")), List.of("a", List.of("b")))) {
            assertThat(ask(ofGroups("roles"), "c", hmac(claim("roles", odd))))
                    .as("roles of %s", odd)
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.message()).contains("roles is neither"));
        }
        assertThat(ask(ofGroups("realm.roles"), "c", hmac(claim("realm", List.of("a")))))
                .isInstanceOf(Refused.class);
        Map.<Object, List<String>>of(
                        "a  b ", List.of("a", "b"), "", List.of(), 7, List.of("7"), List.of("a", 7), List.of("a", "7"))
                .forEach((value, groups) -> assertThat(ask(ofGroups("roles"), "c", hmac(claim("roles", value))))
                        .isEqualTo(new Accepted(null, new Principal("id", "7", null, null, groups, null))));
        for (String absent : List.of("other", "roles.of.mqtt")) {
            assertThat(ask(ofGroups(absent), "c", hmac(claim("roles", Map.of("of", Map.of())))))
                    .isInstanceOf(Accepted.class);
        }
    }

    private static JWTClaimsSet claim(String name, Object value) {
        return new JWTClaimsSet.Builder().subject("7").claim(name, value).build();
    }

    private Link ofGroups(String claim) {
        TokenClaims claims = new TokenClaims("sub", null, null, null, claim, null, null, List.of());
        return open(new JwtConfig(new JwtConfig.Given(Keys.secret(SECRET)), null, null, null, claims, "id"));
    }

    private Link ofTenant(String claim) {
        TokenClaims claims = new TokenClaims("sub", null, null, claim, null, null, null, List.of());
        return open(new JwtConfig(new JwtConfig.Given(Keys.secret(SECRET)), null, null, null, claims, "id"));
    }

    @Test
    void onlyASignatureWithTheKeyAndInTimeIsAYes() throws Exception {
        Link link = open(secret(null, null));
        assertThat(ask(link, "c", hmac(subject("a")))).isInstanceOf(Accepted.class);
        String other = sign(new JWSHeader(JWSAlgorithm.HS256), new MACSigner("x".repeat(40)), subject("a"));
        assertThat(ask(link, "c", other)).isInstanceOf(Refused.class);
        assertThat(ask(link, "c", new PlainJWT(subject("a")).serialize() + "x")).isInstanceOf(Refused.class);
        assertThat(ask(link, "c", new PlainJWT(subject("a")).serialize())).isInstanceOf(Refused.class);
        String[] parts = hmac(subject("a")).split("\\.", -1);
        assertThat(ask(link, "c", parts[0] + "." + hmac(subject("b")).split("\\.", -1)[1] + "." + parts[2]))
                .isInstanceOf(Refused.class);
        JWTClaimsSet ended = new JWTClaimsSet.Builder(subject("a"))
                .expirationTime(Date.from(Instant.ofEpochSecond(1_000_000_000)))
                .build();
        assertThat(ask(link, "c", hmac(ended))).isInstanceOf(Refused.class);
        JWTClaimsSet early = new JWTClaimsSet.Builder(subject("a"))
                .notBeforeTime(Date.from(LATER))
                .build();
        assertThat(ask(link, "c", hmac(early))).isInstanceOf(Refused.class);
        JWTClaimsSet large = new JWTClaimsSet.Builder(subject("a"))
                .claim("x", "y".repeat(8_192))
                .build();
        assertThat(ask(link, "c", hmac(large))).isInstanceOf(Refused.class);
    }

    @Test
    void publicKeyIsNeverTakenForASecret() throws Exception {
        String pem = pem(RSA.toPublicKey().getEncoded());
        Link link = open(config(new JwtConfig.Given(Keys.file(Files.writeString(folder.resolve("key.pem"), pem)))));
        assertThat(ask(link, "c", rsa(RSA, subject("a")))).isInstanceOf(Accepted.class);
        JWSHeader header = new JWSHeader(JWSAlgorithm.HS256);
        assertThat(ask(link, "c", sign(header, new MACSigner(pem.getBytes(StandardCharsets.UTF_8)), subject("a"))))
                .isInstanceOf(Refused.class);
        String ec = sign(new JWSHeader(JWSAlgorithm.ES256), new ECDSASigner(EC), subject("a"));
        assertThat(ask(link, "c", ec)).isInstanceOf(Refused.class);
    }

    @Test
    void keyThatTheFileHasNoMoreIsNotTakenAndWrongFileChangesNothing() throws Exception {
        Path file = Files.writeString(
                folder.resolve("key.pem"), pem(RSA.toPublicKey().getEncoded()));
        Link link = open(config(new JwtConfig.InFile(new FileContent<>(file, () -> Keys.file(file)))));
        String old = rsa(RSA, subject("a"));
        String another = sign(new JWSHeader(JWSAlgorithm.ES256), new ECDSASigner(EC), subject("a"));
        assertThat(ask(link, "c", old)).isInstanceOf(Accepted.class);
        Files.writeString(file, pem(EC.toPublicKey().getEncoded()));
        await().atMost(Duration.ofSeconds(30)).until(() -> ask(link, "c", another) instanceof Accepted);
        assertThat(ask(link, "c", old)).isInstanceOf(Refused.class);

        Files.writeString(file, "nonsense");
        assertThat(ask(link, "c", another)).isInstanceOf(Accepted.class);
        Files.writeString(file, pem(RSA.toPublicKey().getEncoded()));
        await().atMost(Duration.ofSeconds(30)).until(() -> ask(link, "c", old) instanceof Accepted);
    }

    @Test
    void keySetHasOneFamily() throws Exception {
        Path file = Files.writeString(
                folder.resolve("keys.json"),
                new JWKSet(List.of(EC, (JWK) RSA)).toPublicJWKSet().toString());
        Link link = open(config(new JwtConfig.Given(Keys.file(file))));
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("ec-1").build();
        assertThat(ask(link, "c", sign(header, new ECDSASigner(EC), subject("a"))))
                .isInstanceOf(Accepted.class);
        assertThat(ask(link, "c", rsa(RSA, subject("a")))).isInstanceOf(Refused.class);
    }

    @Test
    void whatIsNoTokenOrOfAnotherIssuerIsLeftToOthers() {
        Link link = open(secret("https://id.example", "mqtt"));
        assertThat(ask(link, "c", "correct horse")).isEqualTo(NotMine.PLAIN);
        assertThat(ask(link, "c", "a.b.c")).isEqualTo(NotMine.PLAIN);
        assertThat(ask(link, "c", hmac(subject("a")))).isEqualTo(NotMine.PLAIN);
        JWTClaimsSet ours = new JWTClaimsSet.Builder(subject("a"))
                .issuer("https://id.example")
                .audience("web")
                .build();
        assertThat(ask(link, "c", hmac(ours))).isInstanceOf(Refused.class);
        JWTClaimsSet right =
                new JWTClaimsSet.Builder(ours).audience(List.of("web", "mqtt")).build();
        assertThat(ask(link, "c", hmac(right))).isInstanceOf(Accepted.class);
    }

    @Test
    void tokenMayBeInAUserPropertyOrInAuth() {
        JwtConfig config =
                new JwtConfig(new JwtConfig.Given(Keys.secret(SECRET)), null, null, "token", TokenClaims.SUBJECT, "id");
        Link link = open(config);
        ClientInfo client = new ClientInfo(
                "c",
                null,
                ProtocolVersion.MQTT_5,
                "127.0.0.1:1",
                "tcp",
                null,
                List.of(new UserProperty("token", hmac(subject("a")))),
                ClientKind.DEVICE);
        assertThat(link.authenticator()
                        .authenticate(client, null)
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Accepted.class);
        assertThat(ask(link, "c", hmac(subject("a")))).isEqualTo(NotMine.PLAIN);

        var method = link.methods().getFirst();
        assertThat(method.method()).isEqualTo("OAUTH2-JWT");
        assertThat(method.begin(client)
                        .next(hmac(subject("a")).getBytes(StandardCharsets.UTF_8))
                        .toCompletableFuture()
                        .join())
                .isInstanceOfSatisfying(
                        Success.class,
                        yes -> assertThat(Objects.requireNonNull(yes.accepted().principal())
                                        .name())
                                .isEqualTo("a"));
        assertThat(method.begin(client)
                        .next(new byte[] {1})
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Failure.class);
    }

    @Test
    void keyThatIsTooShortOrNoneIsRefused() throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> Keys.secret(new byte[31]));
        Path file = Files.writeString(folder.resolve("none"), "nothing");
        assertThatIllegalArgumentException().isThrownBy(() -> Keys.file(file));
        String secret = new JWKSet(new OctetSequenceKey.Builder(SECRET).build()).toString(false);
        Path set = Files.writeString(folder.resolve("set"), secret);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Keys.file(set))
                .satisfies(e -> assertThat(e)
                        .message()
                        .doesNotContain(Base64.getUrlEncoder().withoutPadding().encodeToString(SECRET)));
    }

    @Test
    void unknownKeyIsFetchedOnceInAWhileAndTheClientWaits() throws Exception {
        RSAKey next = new RSAKeyGenerator(2_048).keyID("rsa-2").generate();
        AtomicLong nanos = new AtomicLong();
        try (BadServer server = new BadServer(_ -> set(RSA))) {
            RemoteKeys keys = remote(server, nanos);
            assertThat(ask(keys, rsa(RSA, subject("a")))).isInstanceOf(Accepted.class);
            assertThat(server.requests()).hasSize(1);

            server.says(200, "Cache-Control: max-age=3600", _ -> set(next));
            assertThat(ask(keys, rsa(next, subject("a")))).isInstanceOf(Refused.class); // too soon after the first
            assertThat(server.requests()).hasSize(1);
            nanos.addAndGet(RemoteKeys.PAUSE.toNanos());
            assertThat(ask(keys, rsa(next, subject("a")))).isInstanceOf(Accepted.class);
            assertThat(ask(keys, rsa(RSA, subject("a")))).isInstanceOf(Refused.class); // rotated away
            assertThat(server.requests()).hasSize(2);

            nanos.addAndGet(Duration.ofSeconds(2_900).toNanos()); // ahead of the end of the hour, with nobody waiting
            await().until(() -> server.requests().size() == 3);
            keys.close();
        }
    }

    /** Between the look at the keys and the question whether to fetch, another client's fetch ends. */
    @Test
    void keysThatComeWhileTheyAreLookedForAreTaken() throws Exception {
        RSAKey next = new RSAKeyGenerator(2_048).keyID("rsa-2").generate();
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa-2").build();
        AtomicLong nanos = new AtomicLong();
        Thread looking = Thread.currentThread();
        AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
        LongSupplier time = () -> {
            Runnable other = Thread.currentThread().equals(looking) ? meanwhile.getAndSet(null) : null;
            long now = nanos.get();
            if (other != null) {
                other.run();
            }
            return now;
        };
        try (BadServer server = new BadServer(_ -> set(RSA))) {
            RemoteKeys keys = new RemoteKeys(
                    "platform", URI.create(server.address()), new WebClient(null, Duration.ofSeconds(2)), time);
            await().until(() -> ask(keys, rsa(RSA, subject("a"))) instanceof Accepted);
            server.says(200, "X: y", _ -> set(next));
            meanwhile.set(() -> {
                nanos.addAndGet(RemoteKeys.PAUSE.toNanos());
                Keys _ = CompletableFuture.supplyAsync(
                                () -> keys.keysFor(header).toCompletableFuture().join())
                        .orTimeout(20, TimeUnit.SECONDS)
                        .join();
            });
            Keys found = keys.keysFor(header)
                    .toCompletableFuture()
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
            assertThat(found.candidates(header)).hasSize(1);
            keys.close();
        }
    }

    @Test
    void keysOfAnotherFamilyAreTakenWhenThoseOfTheFirstAreGone() throws Exception {
        String ec = sign(
                new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("ec-1").build(), new ECDSASigner(EC), subject("a"));
        JWK encrypting = new RSAKey.Builder(RSA.toRSAPublicKey())
                .keyUse(KeyUse.ENCRYPTION)
                .keyID("rsa-2")
                .build();
        AtomicLong nanos = new AtomicLong();
        try (BadServer server = new BadServer(_ -> set(RSA))) {
            RemoteKeys keys = remote(server, nanos);
            assertThat(ask(keys, rsa(RSA, subject("a")))).isInstanceOf(Accepted.class);

            server.says(200, "X: y", _ -> set(EC, RSA));
            nanos.addAndGet(RemoteKeys.PAUSE.toNanos());
            assertThat(ask(keys, ec)).as("a set has one family").isInstanceOf(Refused.class);
            assertThat(ask(keys, rsa(RSA, subject("a")))).isInstanceOf(Accepted.class);

            server.says(200, "X: y", _ -> set(encrypting, EC));
            nanos.addAndGet(RemoteKeys.PAUSE.toNanos());
            assertThat(ask(keys, ec)).isInstanceOf(Accepted.class);
            assertThat(ask(keys, rsa(RSA, subject("a")))).isInstanceOf(Refused.class);
            keys.close();
        }
    }

    @Test
    void badKeyServerIsANoForNowAndTheKeysStay() throws Exception {
        AtomicLong nanos = new AtomicLong();
        try (BadServer server = new BadServer(_ -> set(RSA))) {
            for (BadServer.Mood mood : BadServer.Mood.values()) {
                if (mood != BadServer.Mood.ANSWERS) {
                    server.is(mood);
                    RemoteKeys without = remote(server, nanos);
                    CompletableFuture<Result> answer = answer(without, rsa(RSA, subject("a")));
                    await().atMost(Duration.ofSeconds(20)).until(answer::isDone);
                    assertThat(answer).as("%s", mood).isCompletedExceptionally();
                    without.close();
                }
            }
            server.is(BadServer.Mood.ANSWERS).says(500, "X: y", _ -> set(RSA));
            RemoteKeys failing = remote(server, nanos);
            assertThat(answer(failing, rsa(RSA, subject("a")))).failsWithin(Duration.ofSeconds(20));
            server.says(200, "X: y", _ -> set(RSA));
            nanos.addAndGet(RemoteKeys.LONGEST_WAIT.toNanos());
            assertThat(ask(failing, rsa(RSA, subject("a")))).isInstanceOf(Accepted.class);
            server.is(BadServer.Mood.DIES);
            nanos.addAndGet(Duration.ofHours(23).toNanos());
            assertThat(ask(failing, rsa(RSA, subject("a")))).isInstanceOf(Accepted.class);
            nanos.addAndGet(Duration.ofHours(2).toNanos());
            assertThat(answer(failing, rsa(RSA, subject("a")))).failsWithin(Duration.ofSeconds(20));
            failing.close();
        }
    }

    @Test
    void addressWithoutTlsIsForThisMachineOnly() {
        assertThat(WebClient.address("https://id.example/jwks")).hasHost("id.example");
        assertThat(WebClient.address("http://[::1]:8080/jwks")).hasPort(8080);
        for (String wrong : List.of(
                "http://id.example/jwks",
                "ftp://id.example",
                "https://u:p@id.example/",
                "jwks",
                "https://id.example:65536/")) {
            assertThatIllegalArgumentException().isThrownBy(() -> WebClient.address(wrong));
        }
    }

    @Test
    void addressesTakeTurnsByPasswordAndByMethod() {
        Asker attacker = new Asker("203.0.113.1", () -> true);
        Asker honest = new Asker("203.0.113.2", () -> true);
        CompletableFuture<@Nullable Void> free = new CompletableFuture<>();
        byte[] token = utf8(hmac(subject("a")));
        try (WorkPool threads = WorkPool.computing("tokens", 1, 4)) {
            var _ = threads.submit(free::join);
            await().until(threads::isIdle);
            JwtConfig config = config(new JwtConfig.Given(Keys.secret(SECRET)));
            JwtAuthenticator authenticator =
                    new JwtAuthenticator(config, KeySource.of(Keys.secret(SECRET)), context.clock(), threads);
            List<CompletableFuture<Result>> flood = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                flood.add(
                        authenticator.authenticate(client("c"), token, attacker).toCompletableFuture());
            }
            var byPassword =
                    authenticator.authenticate(client("d"), token, honest).toCompletableFuture();
            var byMethod = authenticator.begin(client("d"), honest).next(token).toCompletableFuture();
            assertThat(flood.get(2).join())
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.reason()).isEqualTo(ReasonCode.SERVER_BUSY));
            free.complete(null);
            assertThat(byPassword.join()).isInstanceOf(Accepted.class);
            assertThat(byMethod.join()).isInstanceOf(Success.class);
            assertThat(flood.get(0).join()).isInstanceOf(Accepted.class);
        }
    }

    /** Parsed, a token of 8 kB takes 200 kB. */
    @Test
    void nothingButTheBytesOfATokenWaits() {
        List<WeakReference<JWSHeader>> parsed = new ArrayList<>();
        CompletableFuture<Keys> coming = new CompletableFuture<>();
        KeySource never = header -> {
            parsed.add(new WeakReference<>(header));
            return coming;
        };
        JwtAuthenticator authenticator = new JwtAuthenticator(
                config(new JwtConfig.Given(Keys.secret(SECRET))), never, context.clock(), context.hashing());
        CompletableFuture<Result> answer = authenticator
                .authenticate(client("c"), utf8(hmac(subject("a"))))
                .toCompletableFuture();
        await().until(() -> {
            System.gc();
            return parsed.getFirst().get() == null;
        });
        assertThat(answer).isNotDone();
        coming.complete(Keys.secret(SECRET));
        assertThat(answer.orTimeout(20, TimeUnit.SECONDS).join()).isInstanceOf(Accepted.class);
    }

    @Test
    void onlySoManyWaitForKeys() throws Exception {
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("rsa-1").build();
        try (BadServer server = new BadServer(_ -> set(RSA))) {
            server.is(BadServer.Mood.HANGS);
            RemoteKeys keys = remote(server, new AtomicLong());
            List<CompletableFuture<Keys>> waiting = Stream.generate(
                            () -> keys.keysFor(header).toCompletableFuture())
                    .limit(RemoteKeys.MOST_WAITING + 1L)
                    .toList();
            assertThat(waiting.getLast())
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(RejectedExecutionException.class);
            keys.close();
        }
    }

    private static RemoteKeys remote(BadServer server, AtomicLong nanos) {
        return new RemoteKeys(
                "platform", URI.create(server.address()), new WebClient(null, Duration.ofSeconds(2)), nanos::get);
    }

    private Result ask(RemoteKeys keys, String token) {
        return answer(keys, token).orTimeout(20, TimeUnit.SECONDS).join();
    }

    private CompletableFuture<Result> answer(RemoteKeys keys, String token) {
        JwtAuthenticator authenticator = new JwtAuthenticator(
                config(new JwtConfig.Given(Keys.secret(SECRET))), keys, context.clock(), context.hashing());
        return authenticator.authenticate(client("c"), utf8(token)).toCompletableFuture();
    }

    private Link open(JwtConfig config) {
        Link link = config.open("platform", context);
        open.add(link);
        return link;
    }

    private static JwtConfig config(JwtConfig.Origin origin) {
        return new JwtConfig(origin, null, null, null, TokenClaims.SUBJECT, "id");
    }

    private static JwtConfig secret(@Nullable String issuer, @Nullable String audience) {
        return new JwtConfig(
                new JwtConfig.Given(Keys.secret(SECRET)), issuer, audience, null, TokenClaims.SUBJECT, "id");
    }

    private static Result ask(Link link, String clientId, String token) {
        return link.authenticator()
                .authenticate(client(clientId), utf8(token))
                .toCompletableFuture()
                .join();
    }

    private static ClientInfo client(String clientId) {
        return new ClientInfo(clientId, "anybody", ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
    }

    private static JWTClaimsSet subject(String name) {
        return new JWTClaimsSet.Builder().subject(name).build();
    }

    private static String hmac(JWTClaimsSet claims) {
        return make(() -> sign(new JWSHeader(JWSAlgorithm.HS256), new MACSigner(SECRET), claims));
    }

    private static String rsa(RSAKey key, JWTClaimsSet claims) {
        JWSHeader header =
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build();
        return make(() -> sign(header, new RSASSASigner(key), claims));
    }

    private static String sign(JWSHeader header, JWSSigner signer, JWTClaimsSet claims) throws JOSEException {
        SignedJWT token = new SignedJWT(header, claims);
        token.sign(signer);
        return token.serialize();
    }

    private static String set(JWK... keys) {
        return new JWKSet(List.of(keys)).toPublicJWKSet().toString();
    }

    private static String pem(byte[] der) {
        return "-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder().encodeToString(der)
                + "\n-----END PUBLIC KEY-----\n";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static <T> T make(Making<T> making) {
        try {
            return making.make();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
