package io.tributary.perf.target;

import io.tributary.perf.run.Addresses;
import io.tributary.perf.target.ClusterTarget.Size;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All that can be measured, by the words of the command line. */
public final class Targets {
    /** What can be said besides the {@link #names}, for people. */
    public static final String FORMS = "cluster:NODES[,kafka=N][,redis=N], cluster:DIRECTORY,"
            + " haproxy:POLICY:NODES[:mosquitto], nginx:POLICY:NODES[:mosquitto], HOST:PORT[,HOST:PORT...]";

    private static final String MOSQUITTO = "mosquitto";
    private static final Map<String, TargetKind> BY_NAME = byName();

    /** Behind {@code cluster:}, such as {@code 5,kafka=5,redis=11}. */
    private static final Pattern SIZES = Pattern.compile("([1-9])(?:,kafka=([135]))?(?:,redis=([0-9]{1,2}))?");

    private Targets() {}

    private static Map<String, TargetKind> byName() {
        Map<String, TargetKind> kinds = new LinkedHashMap<>();
        kinds.put("standalone", new Standalone());
        kinds.put("cluster", new ClusterTarget(new Size(1, 1, 3)));
        kinds.put(MOSQUITTO, new Mosquitto(1));
        kinds.put("hivemq-ce", new HiveMq());
        kinds.put("nats", new Nats());
        kinds.put("mochi", new Mochi());
        kinds.put("rabbitmq", new RabbitMq());
        kinds.put("pass-through", new PassThroughTarget());
        return kinds;
    }

    /** The words that stand alone. */
    public static List<String> names() {
        return List.copyOf(BY_NAME.keySet());
    }

    /** What can be said, for people. */
    public static String choices() {
        return String.join(", ", names()) + ", " + FORMS;
    }

    /**
     * Starts what the words say, or goes to what is there.
     *
     * @param pids names and identifiers of processes to measure besides
     */
    public static Target start(String words, TargetContext context, Map<String, Long> pids) {
        Target target = kind(words).start(context);
        Map<String, Long> all = new LinkedHashMap<>(target.processes());
        all.putAll(pids);
        return target.watching(all);
    }

    private static TargetKind kind(String words) {
        TargetKind known = BY_NAME.get(words.toLowerCase(Locale.ROOT));
        if (known != null) {
            return known;
        }
        if (words.startsWith("cluster:")) {
            String which = words.substring("cluster:".length());
            Matcher sizes = SIZES.matcher(which);
            if (sizes.matches()) {
                return new ClusterTarget(new Size(number(sizes, 1, 1), number(sizes, 2, 1), number(sizes, 3, 3)));
            }
            if (!Files.isDirectory(Path.of(which))) {
                throw new TargetException("--target " + words
                        + ": there is no such directory, and sizes are NODES[,kafka=1|3|5][,redis=N]");
            }
            return new ClusterTarget(Path.of(which));
        }
        for (Proxy proxy : Proxy.values()) {
            if (words.startsWith(proxy.word() + ":")) {
                return balanced(proxy, words);
            }
        }
        if (words.indexOf(':') < 0) {
            throw new TargetException("--target " + words + ": one of " + choices());
        }
        List<InetSocketAddress> addresses = Arrays.stream(words.split(",", -1))
                .flatMap(text -> Addresses.all(text).stream())
                .toList();
        return _ ->
                new Target("broker at " + words, "unknown", Map.of(), addresses, Map.of(), Map::of, () -> {}).staying();
    }

    private static int number(Matcher sizes, int group, int otherwise) {
        String digits = sizes.group(group);
        return digits == null ? otherwise : Integer.parseInt(digits);
    }

    private static TargetKind balanced(Proxy proxy, String words) {
        String[] parts = words.split(":", -1);
        boolean isMosquitto = parts.length == 4 && parts[3].equals(MOSQUITTO);
        if ((parts.length != 3 && !isMosquitto) || !parts[2].matches("[1-9]")) {
            throw new TargetException("--target " + words + ": it is " + proxy.word()
                    + ":POLICY:NODES or " + proxy.word() + ":POLICY:NODES:mosquitto; NODES is 1 to 9, POLICY one of "
                    + Balancing.words());
        }
        int nodes = Integer.parseInt(parts[2]);
        return new Balanced(
                proxy,
                Balancing.of(parts[1]),
                isMosquitto ? new Mosquitto(nodes) : new ClusterTarget(new Size(nodes, 1, 3)));
    }
}
