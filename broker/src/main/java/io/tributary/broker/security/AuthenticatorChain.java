package io.tributary.broker.security;

import io.tributary.broker.security.AuthenticationRecorder.Outcome;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Authenticators in an order, for each listener its own. The first that says yes or no decides; one that does not know
 * the client leaves it to the next. Nobody knows the client: no, unless the listener takes anonymous clients and the
 * client brings neither password nor authentication method.
 *
 * <p>An authenticator that fails, or takes longer than {@link #LONGEST}, is a no for now (0x88), never a question to
 * the next one: a failure must not open a door. Clients hear a reason code and nothing else; the reason is in the log,
 * ten lines a second at most. Thread-safe; closing it closes its authenticators.
 */
public final class AuthenticatorChain implements Authenticator, AutoCloseable {
    /** What anonymous clients are counted under. */
    public static final String ANONYMOUS = "anonymous";

    /** What clients are counted under that nobody knew. */
    public static final String NOBODY = "nobody";

    /** How long an authenticator may think about one client; those of this project have shorter limits of their own. */
    public static final Duration LONGEST = Duration.ofSeconds(60);

    private final Map<String, Chain> chains;
    private final AuthenticationRecorder recorder;
    private final RefusalLog log = new RefusalLog(System::nanoTime);

    /**
     * One authenticator of a chain.
     *
     * @param name its name, in the log and in metrics
     * @param authenticator asked for each CONNECT without an authentication method
     * @param methods the methods of enhanced authentication that it offers
     * @param onClose frees what it holds
     */
    public record Link(
            String name, Authenticator authenticator, List<EnhancedAuthenticator> methods, Runnable onClose) {

        /** Copies the list. */
        public Link {
            methods = List.copyOf(methods);
        }

        /** One without methods, that holds nothing. */
        public Link(String name, Authenticator authenticator) {
            this(name, authenticator, List.of(), () -> {});
        }
    }

    /**
     * The authenticators of a listener.
     *
     * @param links in the order in which they are asked
     * @param anonymous whether clients may connect that bring no password and that nobody knows
     */
    public record Chain(List<Link> links, boolean anonymous) {

        /**
         * Copies the list.
         *
         * @throws IllegalArgumentException when two offer one method
         */
        public Chain {
            links = List.copyOf(links);
            Set<String> methods = new HashSet<>();
            for (Link link : links) {
                for (EnhancedAuthenticator one : link.methods()) {
                    if (!methods.add(one.method())) {
                        throw new IllegalArgumentException(
                                "two authenticators of one listener offer the method " + one.method());
                    }
                }
            }
        }
    }

    /**
     * Creates one.
     *
     * @param chains by the name of the listener; at others nobody may connect
     */
    public AuthenticatorChain(Map<String, Chain> chains, AuthenticationRecorder recorder) {
        this.chains = Map.copyOf(chains);
        this.recorder = recorder;
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
        return authenticate(client, password, Asker.UNKNOWN);
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password, Asker asker) {
        Chain chain = chains.get(Objects.requireNonNull(client.listener()));
        if (chain == null) {
            return Authenticator.answer(refused(client, NOBODY, ReasonCode.NOT_AUTHORIZED, "no chain at the listener"));
        }
        return ask(chain, 0, client, password, asker, null);
    }

    /** The methods of all listeners, each for use in all: a listener that has not got it refuses it. */
    public List<EnhancedAuthenticator> methods() {
        Map<String, Map<String, MethodOfListeners.Offer>> methods = new HashMap<>();
        chains.forEach((listener, chain) -> chain.links()
                .forEach(link -> link.methods()
                        .forEach(method -> methods.computeIfAbsent(method.method(), _ -> new HashMap<>())
                                .put(listener, new MethodOfListeners.Offer(link.name(), method)))));
        List<EnhancedAuthenticator> all = new ArrayList<>();
        methods.forEach((name, offers) -> all.add(new MethodOfListeners(name, offers, recorder, log)));
        return all;
    }

    /** Closes each authenticator once. */
    @Override
    public void close() {
        links().map(Link::onClose).forEach(Runnable::run);
    }

    private Stream<Link> links() {
        Set<Link> links = new LinkedHashSet<>();
        chains.values().forEach(chain -> links.addAll(chain.links()));
        return links.stream();
    }

    private CompletionStage<Result> ask(
            Chain chain,
            int place,
            ClientInfo client,
            byte @Nullable [] password,
            Asker asker,
            @Nullable Supplier<CompletionStage<?>> pretence) {
        if (place == chain.links().size()) {
            return nobody(chain, client, password, pretence);
        }
        Link link = chain.links().get(place);
        return answerOf(link, client, password, asker).thenCompose(result -> {
            recorder.authenticated(link.name(), outcome(result));
            return switch (result) {
                case Accepted yes -> Authenticator.answer(yes);
                case Refused no -> Authenticator.answer(silent(client, link.name(), no));
                case NotMine(Supplier<CompletionStage<?>> own) ->
                    ask(chain, place + 1, client, password, asker, pretence == null ? own : pretence);
            };
        });
    }

    private CompletionStage<Result> answerOf(Link link, ClientInfo client, byte @Nullable [] password, Asker asker) {
        CompletableFuture<Result> answer;
        try {
            answer = link.authenticator().authenticate(client, password, asker).toCompletableFuture();
        } catch (RuntimeException | Error failure) { // an Error, too, may come of what a client sends
            return Authenticator.answer(unavailable(client, link.name(), failure));
        }
        CompletableFuture<Result> inTime =
                answer.isDone() ? answer : answer.copy().orTimeout(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        return inTime.exceptionally(failure -> unavailable(client, link.name(), failure));
    }

    private CompletionStage<Result> nobody(
            Chain chain,
            ClientInfo client,
            byte @Nullable [] password,
            @Nullable Supplier<CompletionStage<?>> pretence) {
        if (chain.anonymous() && (password == null || chain.links().isEmpty())) {
            recorder.authenticated(ANONYMOUS, Outcome.ACCEPTED);
            boolean namesCount = chain.links().isEmpty(); // nobody proves any there: they only keep clients apart
            return Authenticator.answer(namesCount ? new Accepted() : new Accepted(null, Principal.ANONYMOUS));
        }
        ReasonCode reason = password == null ? ReasonCode.NOT_AUTHORIZED : ReasonCode.BAD_USER_NAME_OR_PASSWORD;
        if (pretence == null) {
            return Authenticator.answer(refused(client, NOBODY, reason, "nobody knows the client"));
        }
        return pretence.get()
                .handle((_, failure) -> refused(
                        client, NOBODY, failure == null ? reason : ReasonCode.SERVER_BUSY, "nobody knows the client"));
    }

    private Result refused(ClientInfo client, String name, ReasonCode reason, String why) {
        Refused no = new Refused(reason, why);
        recorder.authenticated(name, outcome(no));
        return silent(client, name, no);
    }

    private Result unavailable(ClientInfo client, String name, Throwable failure) {
        log.failed(name, failure);
        return silent(client, name, new Refused(ReasonCode.SERVER_UNAVAILABLE, "the authenticator failed"));
    }

    private Refused silent(ClientInfo client, String name, Refused no) {
        log.refused(client, name, String.valueOf(no.message()));
        String inside = name.equals(NOBODY) ? no.message() : "'" + name + "': " + no.message();
        return new Refused(no.reason(), null, inside, no.user());
    }

    static Outcome outcome(Result result) {
        return switch (result) {
            case Accepted _ -> Outcome.ACCEPTED;
            case NotMine _ -> Outcome.NOT_MINE;
            case Refused no -> outcome(no.reason());
        };
    }

    static Outcome outcome(ReasonCode reason) {
        return switch (reason) {
            case SERVER_UNAVAILABLE -> Outcome.UNAVAILABLE;
            case SERVER_BUSY -> Outcome.BUSY;
            default -> Outcome.REFUSED;
        };
    }
}
