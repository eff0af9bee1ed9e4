package io.tributary.server.blackbox.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The API of a broker, as an administrator's tool asks it. */
public final class SecurityApi implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final int port;
    private final String token;

    /** That of the broker with this port, opened by a token. */
    public SecurityApi(int port, String token) {
        this.port = port;
        this.token = token;
    }

    /** Sends a request with headers, name and value in turn. */
    public HttpResponse<String> send(String method, String path, String body, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        if (!all.contains("Authorization")) {
            all.addAll(List.of("Authorization", "Bearer " + token));
        }
        if (!body.isEmpty() && !all.contains("Content-Type")) {
            all.addAll(List.of("Content-Type", "application/json"));
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(30))
                .headers(all.toArray(String[]::new))
                .method(method, BodyPublishers.ofString(body, UTF_8))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Makes an object. */
    public HttpResponse<String> create(String object, String body) {
        return send("PUT", "/api/v1/security/" + object, body, "If-None-Match", "*");
    }

    /** Replaces whatever version there is. */
    public HttpResponse<String> replace(String object, String body) {
        return send("PUT", "/api/v1/security/" + object, body, "If-Match", "*");
    }

    /** Removes whatever version there is. */
    public HttpResponse<String> delete(String object) {
        return send("DELETE", "/api/v1/security/" + object, "", "If-Match", "*");
    }

    /** What there is. */
    public HttpResponse<String> get(String objects) {
        return send("GET", "/api/v1/security/" + objects, "");
    }

    @Override
    public void close() {
        http.close();
    }
}
