package io.tributary.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.AuthenticatorChain.Chain;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AuthenticatorChainTest {
    private static final byte[] PASSWORD = {1};
    private static final Accepted ALICE =
            new Accepted(null, new Principal("r", "alice", null, null, List.of(), null), null, Map.of());

    private final List<String> events = new ArrayList<>();

    @Test
    void firstYesHoldsAndLaterOnesAreNotAsked() {
        assertThat(ask(false, PASSWORD, says("a", NotMine.PLAIN), says("b", ALICE), says("c", no())))
                .isEqualTo(ALICE);
        assertThat(events).containsExactly("a NOT_MINE", "b ACCEPTED");
    }

    @Test
    void firstNoHoldsAndItsReasonStaysInTheLog() {
        assertThat(ask(true, PASSWORD, says("a", no()), says("b", ALICE)))
                .isEqualTo(new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, null));
        assertThat(events).containsExactly("a REFUSED");
    }

    @Test
    void failureIsANoForNowAndNeverAQuestionToTheNext() {
        Refused later = new Refused(ReasonCode.SERVER_UNAVAILABLE, null);
        Link throwing = new Link("a", (_, _) -> {
            throw new IllegalStateException("broken");
        });
        Link failing = new Link("a", (_, _) -> CompletableFuture.failedFuture(new IllegalStateException("broken")));
        assertThat(ask(true, null, throwing, says("b", ALICE))).isEqualTo(later);
        assertThat(ask(true, null, failing, says("b", ALICE))).isEqualTo(later);
        Link erring = new Link("a", (_, _) -> {
            throw new StackOverflowError();
        });
        assertThat(ask(true, null, erring, says("b", ALICE))).isEqualTo(later);
        assertThat(events).containsExactly("a UNAVAILABLE", "a UNAVAILABLE", "a UNAVAILABLE");
    }

    @Test
    void failureOfAMethodIsARefusalThatCounts() {
        List<Supplier<CompletionStage<EnhancedAuthenticator.Step>>> failures = List.of(
                () -> {
                    throw new StackOverflowError();
                },
                () -> {
                    throw new IllegalStateException("broken");
                },
                () -> CompletableFuture.failedStage(new StackOverflowError()));
        for (Supplier<CompletionStage<EnhancedAuthenticator.Step>> failing : failures) {
            EnhancedAuthenticator offered = offered(failing);
            assertThat(offered.begin(client()).next(null).toCompletableFuture())
                    .isCompletedWithValue(new EnhancedAuthenticator.Failure(ReasonCode.SERVER_UNAVAILABLE, null));
        }
        assertThat(events).containsExactly("a UNAVAILABLE", "a UNAVAILABLE", "a UNAVAILABLE");
    }

    private EnhancedAuthenticator offered(Supplier<CompletionStage<EnhancedAuthenticator.Step>> next) {
        Link link = withMethod(next);
        return new AuthenticatorChain(
                        Map.of("tcp", new Chain(List.of(link), false)),
                        (name, outcome) -> events.add(name + " " + outcome))
                .methods()
                .getFirst();
    }

    @Test
    void clientThatNobodyKnowsIsRefusedUnlessItMayBeAnonymous() {
        Link stranger = says("a", NotMine.PLAIN);
        assertThat(ask(false, null, stranger)).isEqualTo(new Refused(ReasonCode.NOT_AUTHORIZED, null));
        assertThat(ask(true, null, stranger)).isEqualTo(new Accepted(null, Principal.ANONYMOUS));
        assertThat(ask(true, PASSWORD, stranger)).isEqualTo(new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, null));
        assertThat(ask(true, PASSWORD)).isEqualTo(new Accepted());
        assertThat(ask(false, null)).isEqualTo(new Refused(ReasonCode.NOT_AUTHORIZED, null));
    }

    @Test
    void pretenceIsDoneOnlyWhenNobodyKnowsTheClientAndBeforeItHears() {
        CompletableFuture<Boolean> work = new CompletableFuture<>();
        Link pretending = says("a", new NotMine(() -> {
            events.add("pretends");
            return work;
        }));
        assertThat(ask(false, PASSWORD, pretending, says("b", ALICE))).isEqualTo(ALICE);
        assertThat(events).doesNotContain("pretends");

        CompletionStage<Result> answer = stage(false, PASSWORD, pretending, says("b", NotMine.PLAIN));
        assertThat(events).contains("pretends");
        assertThat(answer.toCompletableFuture()).isNotDone();
        work.complete(false);
        assertThat(answer.toCompletableFuture().join())
                .isEqualTo(new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, null));
    }

    @Test
    void listenerWithoutChainTakesNobody() {
        AuthenticatorChain chain = new AuthenticatorChain(Map.of(), AuthenticationRecorder.NONE);
        assertThat(chain.authenticate(client(), null).toCompletableFuture().join())
                .isEqualTo(new Refused(ReasonCode.NOT_AUTHORIZED, null, "no chain at the listener"));
    }

    @Test
    void methodBelongsToTheListenerThatOffersIt() {
        Link link = withMethod(() -> EnhancedAuthenticator.answer(new EnhancedAuthenticator.Success(null, ALICE)));
        AuthenticatorChain chain = new AuthenticatorChain(
                Map.of("tcp", new Chain(List.of(link), false), "open", new Chain(List.of(), true)),
                (name, outcome) -> events.add(name + " " + outcome));
        EnhancedAuthenticator offered = chain.methods().getFirst();
        assertThat(offered.begin(client()).next(null).toCompletableFuture().join())
                .isInstanceOf(EnhancedAuthenticator.Success.class);
        ClientInfo elsewhere = new ClientInfo("c", null, ProtocolVersion.MQTT_5, "127.0.0.1:1", "open");
        assertThat(offered.begin(elsewhere).next(null).toCompletableFuture().join())
                .isInstanceOfSatisfying(
                        EnhancedAuthenticator.Failure.class,
                        no -> assertThat(no.reason()).isEqualTo(ReasonCode.BAD_AUTHENTICATION_METHOD));
        assertThat(events).containsExactly("a ACCEPTED");
        assertThatIllegalArgumentException().isThrownBy(() -> new Chain(List.of(link, link), false));
    }

    /** A link that offers a method by which a client is done after one step. */
    private static Link withMethod(Supplier<CompletionStage<EnhancedAuthenticator.Step>> next) {
        EnhancedAuthenticator method = new EnhancedAuthenticator() {
            @Override
            public String method() {
                return "M";
            }

            @Override
            public Exchange begin(ClientInfo client) {
                return _ -> next.get();
            }
        };
        return new Link("a", (_, _) -> Authenticator.answer(NotMine.PLAIN), List.of(method), () -> {});
    }

    private Result ask(boolean anonymous, byte @Nullable [] password, Link... links) {
        return stage(anonymous, password, links).toCompletableFuture().join();
    }

    /** The same for a client, which hears nothing of what operators hear. */
    private static Result heard(Result result) {
        return result instanceof Refused no ? new Refused(no.reason(), no.message()) : result;
    }

    private CompletionStage<Result> stage(boolean anonymous, byte @Nullable [] password, Link... links) {
        AuthenticatorChain chain = new AuthenticatorChain(
                Map.of("tcp", new Chain(List.of(links), anonymous)),
                (name, outcome) -> events.add(name + " " + outcome));
        return chain.authenticate(client(), password).thenApply(AuthenticatorChainTest::heard);
    }

    private static Link says(String name, Result result) {
        return new Link(name, (_, _) -> Authenticator.answer(result));
    }

    private static Refused no() {
        return new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "wrong password");
    }

    private static ClientInfo client() {
        return new ClientInfo("c", "alice", ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
    }
}
