package io.tributary.security.jwt;

import com.nimbusds.jose.JWSHeader;
import io.tributary.common.thread.StageFailure;
import io.tributary.security.web.WebClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A key set on the web (JWKS). It is fetched at the start, and again before it is too old, so that clients do not wait.
 * A token that names an unknown key has it fetched at once, but no more than once in {@link #PAUSE}; such clients wait
 * up to {@link #LONGEST_WAIT}. While the server does not answer, the keys stay as they are, for a day. Thread-safe.
 */
final class RemoteKeys implements KeySource {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteKeys.class);

    /** The least time from one fetch to another. */
    static final Duration PAUSE = Duration.ofSeconds(30);

    /** How long a client waits for an unknown key. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    /** How many clients wait for keys; further ones are refused. */
    static final int MOST_WAITING = 10_000;

    private static final Duration USUAL_AGE = Duration.ofMinutes(5);
    private static final Duration LEAST_AGE = Duration.ofMinutes(1);
    private static final Duration MOST_AGE = Duration.ofHours(24);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final double AHEAD = 0.8;
    private static final long LARGEST_BYTES = 256 * 1024;
    private static final Pattern MAX_AGE = Pattern.compile("(?:^|[,\\s])max-age=(\\d{1,9})");

    private final String name;
    private final URI address;
    private final WebClient web;
    private final LongSupplier nanoTime;
    private final ScheduledExecutorService timer;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile @Nullable Fetched fetched;

    // Guarded by this.
    private @Nullable CompletableFuture<Keys> fetching;
    private long begunNanos;
    private boolean begun;
    private boolean failing;

    /** Keys, when they came, and how old they may become. */
    private record Fetched(Keys keys, long nanos, Duration age) {}

    /** Begins to fetch. */
    RemoteKeys(String name, URI address, WebClient web, LongSupplier nanoTime) {
        this.name = name;
        this.address = address;
        this.web = web;
        this.nanoTime = nanoTime;
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("tributary-keys").daemon().factory());
        ScheduledFuture<?> _ = timer.scheduleWithFixedDelay(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletionStage<Keys> keysFor(JWSHeader header) {
        Fetched now = usable();
        if (now != null && !now.keys().candidates(header).isEmpty()) {
            return CompletableFuture.completedFuture(now.keys());
        }
        CompletableFuture<Keys> coming = fetchUnlessJustDone();
        if (coming == null) {
            Fetched newest = usable(); // they may have come meanwhile
            return newest == null
                    ? CompletableFuture.failedFuture(new IllegalStateException("there are no keys from " + address))
                    : CompletableFuture.completedFuture(newest.keys());
        }
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(new RejectedExecutionException("too many wait for keys"));
        }
        return coming.copy()
                .orTimeout(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, _) -> waiting.decrementAndGet());
    }

    @Override
    public void close() {
        timer.shutdownNow();
        web.close();
    }

    private @Nullable Fetched usable() {
        Fetched now = fetched;
        return now == null || nanoTime.getAsLong() - now.nanos() > MOST_AGE.toNanos() ? null : now;
    }

    private void tick() {
        Fetched now = fetched;
        if (now == null || nanoTime.getAsLong() - now.nanos() > now.age().toNanos() * AHEAD) {
            CompletableFuture<Keys> _ = fetchUnlessJustDone();
        }
    }

    /** What is being fetched; null when the last try was a moment ago. */
    private synchronized @Nullable CompletableFuture<Keys> fetchUnlessJustDone() {
        if (fetching != null && !fetching.isDone()) {
            return fetching;
        }
        Duration pause = fetched == null ? LONGEST_WAIT : PAUSE; // without keys nobody gets in
        if (begun && nanoTime.getAsLong() - begunNanos < pause.toNanos()) {
            return null;
        }
        begun = true;
        begunNanos = nanoTime.getAsLong();
        fetching = fetch();
        return fetching;
    }

    private CompletableFuture<Keys> fetch() {
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("Accept", "application/jwk-set+json, application/json")
                .build();
        return web.send(request, LONGEST_WAIT, LARGEST_BYTES)
                .thenApply(this::read)
                .whenComplete((keys, failure) -> report(keys, failure));
    }

    private Keys read(HttpResponse<byte[]> answer) {
        if (answer.statusCode() != 200) {
            throw new CompletionException(new IOException("status " + answer.statusCode()));
        }
        Fetched before = usable();
        KeyFamily family = before == null ? null : before.keys().family();
        Keys keys = Keys.set(new String(answer.body(), StandardCharsets.UTF_8), family);
        if (family != null && family != keys.family()) {
            LOG.info(
                    "authenticator '{}': the keys of {} are of {} now, and were of {}",
                    name,
                    address,
                    keys.family(),
                    family);
        }
        fetched = new Fetched(keys, nanoTime.getAsLong(), age(answer));
        return keys;
    }

    private static Duration age(HttpResponse<byte[]> answer) {
        Matcher stated =
                MAX_AGE.matcher(answer.headers().firstValue("Cache-Control").orElse(""));
        if (!stated.find()) {
            return USUAL_AGE;
        }
        Duration age = Duration.ofSeconds(Long.parseLong(stated.group(1)));
        return age.compareTo(LEAST_AGE) < 0 ? LEAST_AGE : age.compareTo(MOST_AGE) > 0 ? MOST_AGE : age;
    }

    private synchronized void report(@Nullable Keys keys, @Nullable Throwable failure) {
        if (failure != null && !failing) {
            LOG.warn(
                    "authenticator '{}': no keys from {}: {}; {}",
                    name,
                    address,
                    StageFailure.cause(failure),
                    fetched == null ? "nobody gets in with a token" : "the keys stay as they were");
        } else if (failure == null && failing) {
            LOG.info("authenticator '{}': {} from {} again", name, keys, address);
        }
        failing = failure != null;
    }
}
