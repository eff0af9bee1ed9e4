package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A thousand rules in a cluster's store, of which 20 are for each client, and some users. Rule sets and users are
 * changed at any node until the end, when every answered change must be there, at all nodes.
 */
final class ChangingRules implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long PACE_NANOS = Duration.ofMillis(250).toNanos();
    private static final int SETS = 49;
    private static final int RULES = 20;
    private static final int USERS = 20;
    private static final Pattern NUMBER = Pattern.compile("number-(\\d+)");

    private final TestCluster cluster;
    private final String token;
    private final Map<String, Integer> answered = new HashMap<>(); // by the thread, then by who joined it
    private final Map<String, Integer> tried = new HashMap<>();
    private final Thread thread;
    private volatile boolean isOver;

    private ChangingRules(TestCluster cluster, String token) {
        this.cluster = cluster;
        this.token = token;
        thread = Thread.ofPlatform().name("changing-rules").daemon().unstarted(this::change);
    }

    /** A file with the token that opens the API, in a folder that is there. */
    static Path tokenFile(Path folder) {
        Path file = folder.resolve("admin.token");
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return Files.writeString(file, UUID.randomUUID().toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the rules, which allow all clients everything but others' {@code fleet/...}, and begins to change them. */
    static ChangingRules in(TestCluster cluster, Path tokenFile) throws IOException {
        ChangingRules changing = new ChangingRules(cluster, Files.readString(tokenFile));
        changing.mustWrite("rules/everybody", everybody());
        for (int i = 0; i < SETS; i++) {
            changing.mustWrite("rules/other-" + i, others(i, 0));
        }
        changing.thread.start();
        return changing;
    }

    private static String everybody() {
        String placeholders = IntStream.range(0, RULES - 2)
                .mapToObj(i -> "{\"deny\":\"publish\",\"topic\":\"fleet/" + i + "/${clientid}/#\"},")
                .collect(Collectors.joining());
        return "{\"rules\":[" + placeholders
                + "{\"allow\":\"all\",\"topic\":\"#\"},{\"allow\":\"all\",\"topic\":\"$dead-letter/#\"}]}";
    }

    private static String others(int set, int number) {
        return IntStream.range(0, RULES)
                .mapToObj(i -> "{\"allow\":\"all\",\"topic\":\"fleet/" + i + "/number-" + number + "/${clientid}\"}")
                .collect(Collectors.joining(
                        ",", "{\"for\":{\"client-ids\":[\"other-" + set + "-*\"]},\"rules\":[", "]}"));
    }

    private void mustWrite(String object, String body) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            try (SecurityApi api = api(cluster.upNodes().getFirst())) {
                HttpResponse<String> answer = write(api, object, body);
                assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
            }
        });
    }

    private static HttpResponse<String> write(SecurityApi api, String object, String body) {
        return api.get(object).statusCode() == 404 ? api.create(object, body) : api.replace(object, body);
    }

    private void change() {
        for (int number = 1; !isOver; number++) {
            int set = number % SETS;
            change("rules/other-" + set, number, others(set, number));
            change("users/changing:" + number % USERS, number, "{\"groups\":[\"number-" + number + "\"]}");
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    private void change(String object, int number, String body) {
        List<BrokerProcess> up = cluster.upNodes();
        tried.put(object, number);
        try (SecurityApi api = api(up.get(number % up.size()))) {
            int status = write(api, object, body).statusCode();
            if (status == 200 || status == 201) {
                answered.put(object, number);
            }
        } catch (UncheckedIOException killed) {
            // No answer: it may have been made, and is among those that were tried.
        }
    }

    /** Ends the changes, and looks whether those that were answered are there, at all nodes. */
    void finish() throws InterruptedException {
        close();
        thread.join();
        assertThat(answered).isNotEmpty();
        await().atMost(PATIENCE).untilAsserted(() -> {
            List<String> all = cluster.upNodes().stream().map(this::everything).toList();
            assertThat(all).containsOnly(all.getFirst());
        });
        try (SecurityApi api = api(cluster.upNodes().getFirst())) {
            answered.forEach((object, number) ->
                    assertThat(number(api.get(object).body())).as(object).isBetween(number, tried.get(object)));
        }
    }

    /** How many changes were answered, after {@link #finish}. */
    int changes() {
        return answered.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    private String everything(BrokerProcess node) {
        try (SecurityApi api = api(node)) {
            return api.get("rules?limit=1000").body()
                    + api.get("users?limit=1000").body();
        }
    }

    private static int number(String body) {
        Matcher number = NUMBER.matcher(body);
        return number.find() ? Integer.parseInt(number.group(1)) : -1;
    }

    private SecurityApi api(BrokerProcess node) {
        return new SecurityApi(node.httpPort(), token);
    }

    @Override
    public void close() {
        isOver = true;
    }
}
