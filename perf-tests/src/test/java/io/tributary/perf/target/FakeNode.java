package io.tributary.perf.target;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/** Answers as a node does that is asked for metrics. */
final class FakeNode implements AutoCloseable {
    private final AtomicInteger requests = new AtomicInteger();
    private final HttpServer server;
    private final String scheme;

    /** @param answers what it says to the names that it is asked for */
    FakeNode(Function<List<String>, String> answers) throws IOException {
        this(answers, HttpServer.create(), "http");
    }

    /**
     * By https alone.
     *
     * @param context with its certificate
     */
    static FakeNode encrypted(Function<List<String>, String> answers, SSLContext context) throws IOException {
        HttpsServer server = HttpsServer.create();
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new FakeNode(answers, server, "https");
    }

    private FakeNode(Function<List<String>, String> answers, HttpServer server, String scheme) throws IOException {
        this.server = server;
        this.scheme = scheme;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/actuator/prometheus", exchange -> {
            String asked = exchange.getRequestURI().getQuery().replace("includedNames=", "");
            requests.incrementAndGet();
            byte[] answer = answers.apply(List.of(asked.split(","))).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    URI listener() {
        return URI.create(scheme + "://127.0.0.1:" + port());
    }

    /** How often it was asked. */
    int requests() {
        return requests.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
