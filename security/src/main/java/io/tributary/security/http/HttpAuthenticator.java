package io.tributary.security.http;

import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.watch.FileContent;
import io.tributary.security.watch.WatchedFile;
import io.tributary.security.web.WebClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A service that is asked by a POST of JSON, and answers in JSON; docs/security.md has both. Its answer is kept as long
 * as it says. When it fails, is slow, or answers with anything else, the client is refused for now; when it fails for
 * clients of several addresses, it is left in peace for a while, and clients are refused at once.
 */
public final class HttpAuthenticator implements Authenticator {
    /** How long an answer may take. */
    public static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final int AT_ONCE = 64;
    private static final int WAITING = 1_000;
    private static final int CACHED = 100_000;
    private static final int LARGEST_ANSWER = 64 * 1024;

    /** A gateway without a service, overload, and a service that is too slow for its gateway. */
    private static final Set<Integer> OVERLOADED = Set.of(502, 503, 504);

    /** The service works, and has heard enough of this client. */
    private static final int TOO_MANY_REQUESTS = 429;

    private final Config config;
    private final @Nullable WatchedFile<String> token;
    private final WebClient web;
    private final InstantSource clock;
    private final RequestQueue queue = new RequestQueue(AT_ONCE, WAITING, System::nanoTime);
    private final AnswerCache cache = new AnswerCache(CACHED, System::nanoTime);

    private HttpAuthenticator(Config config, @Nullable WatchedFile<String> token, WebClient web, InstantSource clock) {
        this.config = config;
        this.token = token;
        this.web = web;
        this.clock = clock;
    }

    /**
     * How one is configured.
     *
     * @param address where it is asked
     * @param authorities the file with the authorities to trust; null for those that Java trusts
     * @param token what the broker shows to the service ({@code Authorization: Bearer}), read again when its file
     *     changes; null for nothing
     * @param realm what the names of the principals are unique in
     */
    public record Config(
            URI address,
            @Nullable Path authorities,
            @Nullable FileContent<String> token,
            String realm) implements AuthenticatorConfig {
        @Override
        public Link open(String name, AuthenticatorContext context) {
            WatchedFile<String> watched = token == null ? null : token.watch(name);
            WebClient web = new WebClient(authorities, TIMEOUT);
            return new Link(name, new HttpAuthenticator(this, watched, web, context.clock()), List.of(), () -> {
                web.close();
                if (watched != null) {
                    watched.close();
                }
            });
        }

        /** Without the token. */
        @Override
        public String toString() {
            return "HTTP service at " + address;
        }
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
        return authenticate(client, password, Asker.UNKNOWN);
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password, Asker asker) {
        byte[] key = cache.key(client, password);
        ServiceAnswer kept = cache.get(key);
        if (kept != null) {
            return Authenticator.answer(kept.result(clock));
        }
        // What waits is made into JSON when it is sent: its text may be six times as long.
        return queue.submit(asker.address(), () -> send(ServiceQuestion.json(client, password)))
                .thenCompose(answer -> answer.statusCode() == TOO_MANY_REQUESTS
                        ? Authenticator.answer(
                                new Refused(ReasonCode.SERVER_BUSY, "the service answers with status 429"))
                        : read(answer).thenApply(read -> {
                            cache.put(key, read);
                            return read.result(clock);
                        }));
    }

    /**
     * Fails when the service does not answer, or has too much to do. Any other answer is judged outside of the queue:
     * it may be due to what one client sent.
     */
    private CompletableFuture<HttpResponse<byte[]>> send(byte[] question) {
        HttpRequest.Builder request = HttpRequest.newBuilder(config.address())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(question));
        if (token != null) {
            request.header("Authorization", "Bearer " + token.get());
        }
        return web.send(request.build(), TIMEOUT, LARGEST_ANSWER)
                .thenCompose(answer -> OVERLOADED.contains(answer.statusCode())
                        ? CompletableFuture.failedFuture(wrongStatus(answer))
                        : CompletableFuture.completedFuture(answer));
    }

    private CompletionStage<ServiceAnswer> read(HttpResponse<byte[]> answer) {
        if (answer.statusCode() != 200) {
            return CompletableFuture.failedFuture(wrongStatus(answer));
        }
        try {
            return CompletableFuture.completedFuture(ServiceAnswer.read(answer.body(), config.realm()));
        } catch (IllegalArgumentException lie) {
            return CompletableFuture.failedFuture(new IOException("the service's answer " + lie.getMessage(), lie));
        }
    }

    private static IOException wrongStatus(HttpResponse<?> answer) {
        return new IOException("the service answers with status " + answer.statusCode());
    }
}
