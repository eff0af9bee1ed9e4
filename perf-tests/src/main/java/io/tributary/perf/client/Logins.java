package io.tributary.perf.client;

import io.tributary.perf.scenario.MqttOptions;
import io.tributary.perf.scenario.PlannedClient;
import io.tributary.perf.scenario.ScenarioException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** User names and passwords of clients, who take them in turn, always the same. Immutable. */
final class Logins {
    private final List<Login> all;

    /** What a client says in CONNECT; nulls for nothing. */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
    record Login(@Nullable String userName, byte @Nullable [] password) {}

    private Logins(List<Login> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Those of a scenario.
     *
     * @throws ScenarioException if their file cannot be read, or has a line that is none
     */
    static Logins of(MqttOptions mqtt) {
        if (mqtt.users() != null) {
            return new Logins(inFile(Path.of(mqtt.users())));
        }
        return new Logins(List.of(new Login(mqtt.username(), bytes(mqtt.password()))));
    }

    private static List<Login> inFile(Path file) {
        List<Login> logins = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(file)) {
                int colon = line.indexOf(':');
                if (colon < 1) {
                    throw new ScenarioException(
                            "mqtt.users: line " + (logins.size() + 1) + " of " + file + " is not USER:PASSWORD");
                }
                logins.add(new Login(line.substring(0, colon), bytes(line.substring(colon + 1))));
            }
        } catch (IOException e) {
            throw new ScenarioException("mqtt.users: " + file + " cannot be read: " + e, e);
        }
        if (logins.isEmpty()) {
            throw new ScenarioException("mqtt.users: " + file + " has no USER:PASSWORD line");
        }
        return logins;
    }

    private static byte @Nullable [] bytes(@Nullable String password) {
        return password == null ? null : password.getBytes(StandardCharsets.UTF_8);
    }

    Login of(PlannedClient client) {
        return all.get(client.number() % all.size());
    }
}
