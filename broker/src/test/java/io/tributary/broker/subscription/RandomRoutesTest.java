package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.SharedReplicatedMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares what nodes know of each other with a model: what each session was told it has. Sessions subscribe,
 * unsubscribe and end on three nodes at random, while nodes read late and refuse or delay writes.
 */
class RandomRoutesTest {
    private static final int STEPS = 4_000;
    private static final List<String> FILTERS = List.of("a", "a/+", "a/#", "b/1", "$share/g/a", "$share/h/b/1");

    private final SharedReplicatedMap stored = new SharedReplicatedMap();
    private final SharedReplicatedMap routes = new SharedReplicatedMap();
    private final List<TestNode> nodes = List.of(
            new TestNode("n#0", stored, routes),
            new TestNode("n#1", stored, routes),
            new TestNode("n#2", stored, routes));
    /** By node: the filters of each session, by its number. */
    private final List<Map<Integer, Set<String>>> model = List.of(new HashMap<>(), new HashMap<>(), new HashMap<>());
    /** By node: what each session waits for. */
    private final List<Map<Integer, CompletionStage<?>>> pending =
            List.of(new HashMap<>(), new HashMap<>(), new HashMap<>());

    private int lastSession;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void knowsWhatTheModelSays(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            step(random);
            if (step % 200 == 199) {
                settle();
                compare();
            }
        }
        for (int n = 0; n < nodes.size(); n++) {
            for (int session : List.copyOf(model.get(n).keySet())) {
                end(n, session);
            }
        }
        settle();
        assertThat(routes.stored()).isEmpty();
        assertThat(nodes).allMatch(node -> node.subscriptions.match("a").size() == 0);
    }

    private void step(Random random) {
        int n = random.nextInt(nodes.size());
        TestNode node = nodes.get(n);
        switch (random.nextInt(20)) {
            case 0 -> node.routes.stopReading();
            case 1 -> node.routes.goOnReading();
            case 2 -> node.routes.stopWriting();
            case 3 -> node.routes.goOnWriting();
            case 4 -> node.routes.refuse(new IllegalStateException("too much waits"));
            case 5, 6 -> node.routes.refuse(null);
            case 7 -> node.subscriptions.sweep(_ -> false, random.nextBoolean());
            case 8, 9 -> end(n, anySession(n, random));
            case 10, 11, 12, 13 -> unsubscribe(n, anySession(n, random), filters(random));
            default -> subscribe(n, random.nextInt(3) == 0 ? ++lastSession : anySession(n, random), filters(random));
        }
    }

    private void subscribe(int n, int session, String... filters) {
        if (isBusy(n, session)) {
            return;
        }
        CompletionStage<?> made = nodes.get(n).subscribe(subscriber(session), filters);
        pending.get(n).put(session, made);
        Set<String> has = model.get(n).computeIfAbsent(session, _ -> new HashSet<>());
        made.whenComplete((_, failure) -> {
            if (failure == null) { // a set that a session has left behind when it ended counts for nothing
                has.addAll(List.of(filters));
            }
        });
    }

    private void unsubscribe(int n, int session, String... filters) {
        if (!isBusy(n, session)) {
            pending.get(n).put(session, nodes.get(n).unsubscribe(subscriber(session), filters));
            model.get(n).getOrDefault(session, new HashSet<>()).removeAll(Set.of(filters));
        }
    }

    private void end(int n, int session) {
        nodes.get(n).subscriptions.end(subscriber(session));
        model.get(n).remove(session);
    }

    private boolean isBusy(int n, int session) {
        CompletionStage<?> before = pending.get(n).get(session);
        return before != null && !before.toCompletableFuture().isDone();
    }

    private void settle() {
        for (TestNode node : nodes) {
            node.routes.refuse(null);
            node.routes.goOnWriting();
            node.routes.goOnReading();
        }
        for (TestNode node : nodes) {
            node.subscriptions.sweep(_ -> false, false);
        }
    }

    private void compare() {
        Map<String, Set<String>> expected = new HashMap<>();
        for (int n = 0; n < nodes.size(); n++) {
            String id = nodes.get(n).id;
            model.get(n)
                    .forEach((session, filters) ->
                            filters.forEach(filter -> expected.computeIfAbsent(filter, _ -> new TreeSet<>())
                                    .add(filter.startsWith("$share") ? id + " " + session : id)));
        }
        for (TestNode node : nodes) {
            for (String topic : List.of("a", "a/x", "b/1")) {
                assertThat(node.nodes(topic))
                        .as(node.id + " " + topic)
                        .containsExactlyInAnyOrderElementsOf(matching(expected, topic, node.id));
            }
            for (String group : List.of("$share/g/a", "$share/h/b/1")) {
                assertThat(members(node, group))
                        .as(node.id + " " + group)
                        .isEqualTo(expected.getOrDefault(group, Set.of()));
            }
        }
        long records = expected.values().stream().mapToInt(Set::size).sum();
        assertThat(routes.stored()).hasSize((int) records);
    }

    private static Set<String> matching(Map<String, Set<String>> expected, String topic, String except) {
        Set<String> matching = new TreeSet<>();
        for (String filter : FILTERS) {
            boolean matches = switch (filter) {
                case "a" -> topic.equals("a");
                case "a/+" -> topic.equals("a/x");
                case "a/#" -> topic.startsWith("a");
                default -> topic.equals(filter);
            };
            if (matches) {
                matching.addAll(expected.getOrDefault(filter, Set.of()));
            }
        }
        matching.remove(except);
        return matching;
    }

    private static Set<String> members(TestNode node, String group) {
        Set<String> members = new TreeSet<>();
        SharedGroup found = node.subscriptions.group(group);
        if (found != null) {
            found.pick("p", "t", member -> {
                String of = member.subscriber().node();
                members.add(
                        (of == null ? node.id : of) + " " + member.subscriber().identity());
                return false; // so that all are asked
            });
        }
        return members;
    }

    private int anySession(int n, Random random) {
        List<Integer> sessions = new ArrayList<>(model.get(n).keySet());
        return sessions.isEmpty() ? ++lastSession : sessions.get(random.nextInt(sessions.size()));
    }

    private static String[] filters(Random random) {
        List<String> filters = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            filters.add(FILTERS.get(random.nextInt(FILTERS.size())));
        }
        return filters.stream().distinct().toArray(String[]::new);
    }

    private static Subscriber subscriber(int session) {
        return new Subscriber("c" + session, false, session);
    }
}
