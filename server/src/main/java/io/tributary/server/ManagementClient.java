package io.tributary.server;

import io.tributary.cli.UsageException;
import io.tributary.security.web.Authorities;
import io.tributary.security.web.ServersTrust;
import io.tributary.security.web.WebClient;
import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The options by which commands find the port of health and metrics of a broker, and the way to its API. */
final class ManagementClient {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(5);
    private static final Duration LONGEST_WITHOUT_ANSWER = Duration.ofSeconds(30);
    private static final int MOST_TRIES = 4;
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The port of health and metrics; that of the broker of this machine, unless said.")
    private @Nullable String url;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "The file with the administrators' token; that of the broker's settings, unless said.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "The authorities (PEM) of the port's certificate; those that Java trusts, unless said. At the"
                    + " broker of this machine its own certificate is enough.")
    private @Nullable Path authorities;

    private @Nullable Target target;

    private record Target(URI url, String token, HttpClient http) {}

    /** The broker did not do it, in words. */
    static class FailedException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        FailedException(String words) {
            super(words);
        }
    }

    /** The broker did not say whether it did it. */
    private static final class UnansweredException extends FailedException {
        @Serial
        private static final long serialVersionUID = 1L;

        UnansweredException(String words) {
            super(words);
        }
    }

    /** Whether the broker is that of this machine. */
    boolean isHere() {
        return url == null || LocalSettings.isHere(target().url());
    }

    /**
     * Sends a request to the API, and gives what was answered.
     *
     * @param path behind {@code /api/v1/}
     * @param body what to send, null for nothing
     * @throws FailedException when it was not carried out, with the broker's words
     */
    JsonNode send(String method, String path, @Nullable Map<String, Object> body) {
        Target to = target();
        HttpRequest request = HttpRequest.newBuilder(to.url().resolve("/api/v1/" + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + to.token())
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofByteArray(MAPPER.writeValueAsBytes(body)))
                .build();
        HttpResponse<byte[]> answer;
        try {
            answer = to.http().send(request, BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw asksForCertificate(e)
                    ? new FailedException(
                            "the broker at " + to.url() + " asks for a client certificate, which this command"
                                    + " has none of: tributary.http.tls.client-certificates=want lets it in by its token")
                    : new UnansweredException("the broker at " + to.url() + " does not answer: " + e);
        } catch (InterruptedException e) {
            throw interrupted();
        }
        return read(answer);
    }

    /** By the alert of TLS 1.3; in 1.2 there is none of its own. */
    private static boolean asksForCertificate(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (String.valueOf(cause.getMessage()).contains("certificate_required")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Sends a request that does no harm when it is carried out twice: what is not answered, as the node has too much to
     * do, is sent again a few times.
     *
     * @throws FailedException as {@link #send}
     */
    JsonNode sendAgain(String method, String path, @Nullable Map<String, Object> body) {
        long begun = System.nanoTime();
        for (int tries = 1; ; tries++) {
            try {
                return send(method, path, body);
            } catch (UnansweredException e) {
                if (tries == MOST_TRIES || System.nanoTime() - begun >= LONGEST_WITHOUT_ANSWER.toNanos()) {
                    throw e;
                }
            }
            pause(BETWEEN_TRIES);
        }
    }

    /**
     * Waits until the broker may have got further, and asks. What was asked for may last minutes: a request that fails
     * is tried again for half a minute, with token and certificate as they are by then.
     *
     * @param path behind {@code /api/v1/}
     * @param pause how long to wait, before each request
     * @throws FailedException when none of them was answered, with what was wrong with the last
     */
    JsonNode askAgain(String path, Duration pause) {
        long begun = System.nanoTime();
        while (true) {
            pause(pause);
            try {
                return send("GET", path, null);
            } catch (FailedException e) {
                if (Thread.currentThread().isInterrupted()
                        || System.nanoTime() - begun >= LONGEST_WITHOUT_ANSWER.toNanos()) {
                    throw e;
                }
                target = null;
            }
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static FailedException interrupted() {
        Thread.currentThread().interrupt();
        return new FailedException("interrupted");
    }

    private static JsonNode read(HttpResponse<byte[]> answer) {
        if (answer.statusCode() == NO_CONTENT) {
            return MAPPER.createObjectNode();
        }
        JsonNode json;
        try {
            json = MAPPER.readTree(answer.body());
        } catch (JacksonException e) {
            throw new FailedException("what is at " + answer.uri() + " is no broker: " + e.getOriginalMessage());
        }
        if (answer.statusCode() != OK) {
            throw new FailedException(json.path("detail").asString("status " + answer.statusCode()));
        }
        return json;
    }

    private Target target() {
        if (target == null) {
            try {
                LocalSettings settings = LocalSettings.read();
                URI at = url == null ? settings.url() : WebClient.address(url);
                target = new Target(at, settings.token(tokenFile), client(settings));
            } catch (SettingException | IllegalArgumentException e) {
                throw new UsageException(String.valueOf(e.getMessage()), e);
            }
        }
        return target;
    }

    private HttpClient client(LocalSettings settings) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_PATIENCE);
        Path own = settings.certificate();
        if (authorities != null) {
            builder.sslContext(Authorities.trusting(authorities));
        } else if (url == null && own != null) {
            builder.sslContext(trusting(own));
        }
        return builder.build();
    }

    /** Trusts the first certificate of a file, whatever name it has: the names of this machine are not in it. */
    private static SSLContext trusting(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            X509Certificate own = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .iterator()
                    .next();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Known(own)}, null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("'" + file + "' cannot be read as a certificate (PEM): " + e, e);
        }
    }

    /** Trusts one certificate of a server. */
    private static final class Known extends ServersTrust {
        private final X509Certificate certificate;

        Known(X509Certificate certificate) {
            this.certificate = certificate;
        }

        private void check(X509Certificate... chain) throws CertificateException {
            if (chain.length == 0 || !chain[0].equals(certificate)) {
                throw new CertificateException("the port has another certificate than tributary.http.tls.certificate");
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }
    }
}
