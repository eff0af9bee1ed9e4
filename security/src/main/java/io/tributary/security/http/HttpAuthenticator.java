package io.tributary.security.http;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.web.WebClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A service that is asked by a POST of JSON, and answers in JSON; docs/security.md has both. Its answer is kept as long
 * as it says. When it fails, is slow, or answers with anything else, the client is refused for now; when it fails time
 * and again, it is left in peace for a while, and clients are refused at once.
 */
public final class HttpAuthenticator implements Authenticator {
    /** How long an answer may take. */
    public static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final int AT_ONCE = 64;
    private static final int WAITING = 1_000;
    private static final int CACHED = 100_000;
    private static final int LARGEST_ANSWER = 64 * 1024;

    private final Config config;
    private final WebClient web;
    private final InstantSource clock;
    private final RequestQueue queue = new RequestQueue(AT_ONCE, WAITING, System::nanoTime);
    private final AnswerCache cache = new AnswerCache(CACHED, System::nanoTime);

    private HttpAuthenticator(Config config, WebClient web, InstantSource clock) {
        this.config = config;
        this.web = web;
        this.clock = clock;
    }

    /**
     * How one is configured.
     *
     * @param address where it is asked
     * @param authorities the file with the authorities to trust; null for those that Java trusts
     * @param token what the broker shows to the service ({@code Authorization: Bearer}); null for nothing
     * @param realm what the names of the principals are unique in
     */
    public record Config(
            URI address,
            @Nullable Path authorities,
            @Nullable String token,
            String realm) implements AuthenticatorConfig {
        @Override
        public Link open(String name, AuthenticatorContext context) {
            WebClient web = new WebClient(authorities, TIMEOUT);
            return new Link(name, new HttpAuthenticator(this, web, context.clock()), List.of(), web::close);
        }

        /** Without the token. */
        @Override
        public String toString() {
            return "HTTP service at " + address;
        }
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
        byte[] key = cache.key(client, password);
        ServiceAnswer kept = cache.get(key);
        if (kept != null) {
            return Authenticator.answer(kept.result(clock));
        }
        byte[] question = ServiceQuestion.json(client, password);
        return queue.submit(() -> send(question)).thenApply(answer -> {
            cache.put(key, answer);
            return answer.result(clock);
        });
    }

    private CompletableFuture<ServiceAnswer> send(byte[] question) {
        HttpRequest.Builder request = HttpRequest.newBuilder(config.address())
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(question));
        if (config.token() != null) {
            request.header("Authorization", "Bearer " + config.token());
        }
        return web.send(request.build(), TIMEOUT, LARGEST_ANSWER).thenCompose(this::read);
    }

    private CompletionStage<ServiceAnswer> read(HttpResponse<byte[]> answer) {
        if (answer.statusCode() != 200) {
            return CompletableFuture.failedFuture(
                    new IOException("the service answers with status " + answer.statusCode()));
        }
        try {
            return CompletableFuture.completedFuture(ServiceAnswer.read(answer.body(), config.realm()));
        } catch (IllegalArgumentException lie) {
            return CompletableFuture.failedFuture(new IOException("the service's answer " + lie.getMessage(), lie));
        }
    }
}
