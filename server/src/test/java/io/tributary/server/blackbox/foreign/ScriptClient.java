package io.tributary.server.blackbox.foreign;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.tributary.server.blackbox.Secured;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A client in another process: mqtt.js or paho-mqtt for Python, whose scripts take the same requests. */
final class ScriptClient extends ForeignClient {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final ScriptHost host;
    private final Setup setup;
    private final int level;
    private final String name;

    /** Creates one; the level is that of the MQTT protocol in CONNECT. */
    ScriptClient(ScriptHost host, Setup setup, int level) {
        this.host = host;
        this.setup = setup;
        this.level = level;
        name = "client" + NAMES.incrementAndGet(); // several may use one client identifier
        host.register(name, this::event);
    }

    @Override
    boolean connect() throws Exception {
        Map<String, Object> request = request("connect");
        request.put("clientId", setup.clientId());
        request.put("host", Setup.HOST);
        request.put("port", setup.port());
        request.put("path", Setup.PATH);
        request.put("webSocket", setup.transport() == Transport.WEB_SOCKET);
        request.put("level", level);
        request.put("clean", setup.clean());
        request.put("expiry", setup.expirySeconds());
        request.put("keepAlive", setup.keepAliveSeconds());
        request.put("aliases", setup.aliases());
        if (setup.isSecured()) {
            request.put(
                    "authority",
                    SecuredBroker.secured().authority().certificate().toString());
            request.put("username", Secured.USER);
            request.put("password", Secured.PASSWORD);
        }
        Note will = setup.will();
        if (will != null) {
            request.put("will", describe(will));
        }
        return ask(request).get("sessionPresent").asBoolean();
    }

    @Override
    int subscribe(String filter, int qos) throws Exception {
        Map<String, Object> request = request("subscribe");
        request.put("filter", filter);
        request.put("qos", qos);
        return ask(request).get("reason").asInt();
    }

    @Override
    int unsubscribe(String filter) throws Exception {
        Map<String, Object> request = request("unsubscribe");
        request.put("filter", filter);
        return ask(request).get("reason").asInt();
    }

    @Override
    int publish(Note note) throws Exception {
        Map<String, Object> request = request("publish");
        request.put("message", describe(note));
        return ask(request).get("reason").asInt();
    }

    @Override
    void disconnect() throws Exception {
        ask(request("disconnect"));
    }

    @Override
    public void close() {
        host.forget(name);
        try {
            host.tell(request("close"));
        } catch (IOException ignored) {
            // the script is gone, and the client with it
        }
    }

    private Map<String, Object> request(String operation) {
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("operation", operation);
        request.put("client", name);
        return request;
    }

    private JsonNode ask(Map<String, Object> request) throws Exception {
        try {
            return host.ask(request).get(PATIENCE_SECONDS, SECONDS);
        } catch (ExecutionException failure) {
            throw new IOException(setup.clientId() + ": " + request.get("operation"), failure);
        }
    }

    private void event(JsonNode event) {
        if (event.has("message")) {
            arrived(note(event.get("message")));
        } else {
            lost(event.get("lost").asInt());
        }
    }

    private static Map<String, Object> describe(Note note) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("topic", note.topic());
        message.put("payload", Base64.getEncoder().encodeToString(note.payload()));
        message.put("qos", note.qos());
        message.put("retain", note.retain());
        message.put("user", note.properties().user());
        message.put("contentType", note.properties().contentType());
        message.put("responseTopic", note.properties().responseTopic());
        message.put("correlation", note.properties().correlation());
        message.put("expiry", note.properties().expirySeconds());
        return message;
    }

    private static Note note(JsonNode message) {
        Map<String, String> user = new LinkedHashMap<>();
        message.path("user").forEachEntry((key, value) -> user.put(key, value.asString()));
        Note.Properties properties = new Note.Properties(
                user,
                text(message, "contentType"),
                text(message, "responseTopic"),
                text(message, "correlation"),
                message.path("expiry").isNumber() ? message.get("expiry").asLong() : null);
        return new Note(
                message.get("topic").asString(),
                Base64.getDecoder().decode(message.get("payload").asString()),
                message.get("qos").asInt(),
                message.get("retain").asBoolean(),
                properties);
    }

    private static @Nullable String text(JsonNode message, String field) {
        return message.path(field).isString() ? message.get(field).asString() : null;
    }
}
