package io.tributary.server;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.io.Serial;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code tributary health}, for probes where there is nothing else that speaks HTTP. The launcher answers
 * the usual call itself, without a JVM; what is left for this one are options, settings of the port, and TLS.
 */
@Command(name = "health", description = HealthCommand.DESCRIPTION)
public final class HealthCommand implements Subcommand, Runnable {
    static final String DESCRIPTION =
            "Say whether the broker of this machine or container is ready for clients; exit code 1"
                    + " if not. It asks the port of health and metrics, over http or https. No certificate is checked: it asks nobody"
                    + " but this machine, and is told no secret.";

    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int OK = 200;

    /** What a port with TLS says to those who come without. */
    private static final int BAD_REQUEST = 400;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--live", description = "Ask whether the process works, whether clients are served or not.")
    private boolean live;

    @Option(
            names = "--port",
            paramLabel = "N",
            description =
                    "The port of health and metrics; without it, that of the broker's settings, as drain finds it.")
    private @Nullable Integer port;

    /** A broker that is not well, or that did not answer. */
    private static final class UnhealthyException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        private UnhealthyException(String words) {
            super(words);
        }
    }

    /** Called by the launcher, with what it was called with after {@code health}. */
    public static void main(String[] words) {
        Program.main(new HealthCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof UnhealthyException || failure instanceof SettingException;
    }

    @Override
    public void run() {
        String body = ask();
        spec.commandLine().getOut().println(body);
        spec.commandLine().getOut().flush();
    }

    private String ask() {
        URI place = port == null ? LocalSettings.read().url() : URI.create("http://127.0.0.1:" + port);
        List<String> failures = new ArrayList<>();
        try (HttpClient client = HttpClient.newBuilder()
                .connectTimeout(LIMIT)
                .sslContext(trusting())
                .build()) {
            for (String scheme : List.of("http", "https")) {
                try {
                    HttpResponse<String> answer =
                            client.send(request(place, scheme), HttpResponse.BodyHandlers.ofString());
                    if (answer.statusCode() == OK) {
                        return answer.body();
                    }
                    if (answer.statusCode() != BAD_REQUEST) {
                        throw new UnhealthyException(answer.body());
                    }
                } catch (IOException e) {
                    failures.add(scheme + ": " + e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnhealthyException("interrupted");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        throw new UnhealthyException(place.getAuthority() + " does not answer: " + String.join("; ", failures));
    }

    private HttpRequest request(URI place, String scheme) {
        return HttpRequest.newBuilder(URI.create(scheme + "://" + place.getAuthority() + "/actuator/health/"
                        + (live ? "liveness" : "readiness")))
                .timeout(LIMIT)
                .build();
    }

    private static SSLContext trusting() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Everybody()}, new SecureRandom());
        return context;
    }

    /** Not even names are checked where the engine is handed to the check. */
    private static final class Everybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
