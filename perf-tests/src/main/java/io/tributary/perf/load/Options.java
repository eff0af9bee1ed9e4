package io.tributary.perf.load;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The options of {@link PairLoad}.
 *
 * @param ports the brokers' ports, which clients take in turn: with several, the two of a pair are on different ones
 */
record Options(
        String host,
        List<Integer> ports,
        int pairs,
        int window,
        int payloadBytes,
        int warmupSeconds,
        int seconds,
        long pid) {

    static Options parse(String[] args) {
        Map<String, String> given = new TreeMap<>(Map.of(
                "--host", "127.0.0.1",
                "--port", "1883",
                "--pairs", "200",
                "--window", "10",
                "--payload", "62",
                "--warmup", "5",
                "--seconds", "20",
                "--pid", "0"));
        for (int i = 0; i < args.length; i += 2) {
            if (i + 1 == args.length || given.replace(args[i], args[i + 1]) == null) {
                throw new IllegalArgumentException(
                        args[i] + ": not an option with a value; options: " + given.keySet());
            }
        }
        return new Options(
                given.getOrDefault("--host", ""),
                Arrays.stream(given.getOrDefault("--port", "").split(",", -1))
                        .map(Integer::valueOf)
                        .toList(),
                number(given, "--pairs"),
                number(given, "--window"),
                Math.max(16, number(given, "--payload")),
                number(given, "--warmup"),
                number(given, "--seconds"),
                number(given, "--pid"));
    }

    /** The port of a client, by its number. */
    int portOf(int client) {
        return ports.get(client % ports.size());
    }

    private static int number(Map<String, String> given, String name) {
        return Integer.parseInt(given.getOrDefault(name, ""));
    }
}
