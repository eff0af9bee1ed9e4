package io.tributary.security.web;

import java.net.ConnectException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over HTTP, and waits no longer and takes no more than is asked for: a server that hangs, or sends a
 * byte now and then, or sends for ever, costs neither threads nor memory. It follows no redirection. Thread-safe.
 */
public final class WebClient implements AutoCloseable {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]");

    private static final int MOST_PORT = 65_535;

    private final HttpClient client;

    /**
     * Creates one.
     *
     * @param authorities the file with the certificates (PEM) of the authorities to trust, which is read again when it
     *     changes; null for those that Java trusts
     * @param connectTimeout how long a connection may take
     */
    public WebClient(@Nullable Path authorities, Duration connectTimeout) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                // HTTP/2 has one connection for all, which a timeout leaves to the next request, for ever where what
                // is behind it is gone. Here a timeout ends the connection.
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER);
        if (authorities != null) {
            builder.sslContext(Authorities.trusting(authorities));
        }
        client = builder.build();
    }

    /**
     * The address that is written so.
     *
     * @throws IllegalArgumentException when it is none of HTTP, or one without TLS of another machine: whoever is on
     *     the way would read what is asked, and change the answer
     */
    public static URI address(String text) {
        URI uri = URI.create(text);
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!Set.of("https", "http").contains(scheme) || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not an address of HTTP, such as https://id.example/jwks");
        }
        if (uri.getUserInfo() != null) {
            throw new IllegalArgumentException("the address has a user or a password in it, and logs show addresses");
        }
        if (scheme.equals("http") && !isThisMachine(uri.getHost())) {
            throw new IllegalArgumentException(
                    "'" + text + "' must begin with https://, for it is on another machine: only 127.0.0.1, ::1 and"
                            + " localhost may do without TLS");
        }
        if (uri.getPort() == 0 || uri.getPort() > MOST_PORT) {
            throw new IllegalArgumentException(
                    "'" + text + "' has the port " + uri.getPort() + "; ports are 1 to 65535");
        }
        return uri;
    }

    /** Whether a host is this machine by any of the names that it always has. */
    public static boolean isThisMachine(String host) {
        return LOOPBACK.contains(host);
    }

    /**
     * Sends a request that may be sent again: a server closes a connection that was idle for long, and a request may be
     * on its way just then. It is tried once more where the connection ended before anything of the answer came.
     *
     * @param timeout for all of it, the last byte of the answer included
     * @param maxBytes the most bytes that the answer may have
     * @return fails when there is no answer in time, or it is too long; any status is an answer
     */
    public CompletableFuture<HttpResponse<byte[]>> send(HttpRequest request, Duration timeout, long maxBytes) {
        AtomicReference<CompletableFuture<HttpResponse<byte[]>>> underWay = new AtomicReference<>();
        CompletableFuture<HttpResponse<byte[]>> inTime =
                new CompletableFuture<HttpResponse<byte[]>>().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
        CompletableFuture<?> _ = ask(request, maxBytes, underWay)
                .exceptionallyCompose(failure -> isUnanswered(failure) && !inTime.isDone()
                        ? ask(request, maxBytes, underWay)
                        : CompletableFuture.failedFuture(failure))
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        inTime.complete(answer);
                    } else {
                        inTime.completeExceptionally(failure);
                    }
                });
        return inTime.whenComplete((_, failure) -> {
            if (failure != null) {
                underWay.get().cancel(true); // closes the connection
            }
        });
    }

    private CompletableFuture<HttpResponse<byte[]>> ask(
            HttpRequest request, long maxBytes, AtomicReference<CompletableFuture<HttpResponse<byte[]>>> underWay) {
        CompletableFuture<HttpResponse<byte[]>> sent =
                client.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), maxBytes));
        underWay.set(sent);
        return sent;
    }

    /** Whether a connection ended that there was, and nothing of the answer came. */
    private static boolean isUnanswered(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        boolean isReset = cause instanceof SocketException && !(cause instanceof ConnectException);
        return isReset || String.valueOf(cause.getMessage()).contains("received no bytes");
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
