package io.tributary.perf.target;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the servers of a Redis Cluster say of themselves, if they ask for no password and no encryption, as those of a
 * local cluster do not. Each setting and each count of a server blocks for a second at most.
 */
final class RedisServers {
    private static final int TIMEOUT_MILLIS = 500;
    private static final Pattern KEYS = Pattern.compile("^db[0-9]+:keys=([0-9]+),.*");

    private final List<InetSocketAddress> servers;

    /** Primaries and replicas. */
    RedisServers(List<InetSocketAddress> servers) {
        this.servers = List.copyOf(servers);
    }

    /** How many keys primaries have now, for replicas have the same; -1 when not all servers say. */
    long keys() {
        long sum = 0;
        try {
            for (InetSocketAddress server : servers) {
                sum += keys(answer(server, "INFO replication keyspace", 1).getFirst());
            }
            return sum;
        } catch (IOException e) {
            return -1;
        }
    }

    /** 0 of a replica. */
    private static long keys(String info) {
        long keys = 0;
        boolean primary = false;
        for (String line : info.split("\r\n", -1)) {
            primary |= line.equals("role:master");
            Matcher matcher = KEYS.matcher(line);
            keys += matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
        }
        return primary ? keys : 0;
    }

    /** What they write to disk, as their settings are now. */
    String persistence() {
        TreeSet<String> kinds = new TreeSet<>();
        try {
            for (InetSocketAddress server : servers) {
                String log = setting(server, "appendonly");
                String sync = log.equals("yes") ? ", appendfsync " + setting(server, "appendfsync") : "";
                String snapshots = setting(server, "save");
                kinds.add("appendonly " + log + sync + ", "
                        + (snapshots.isEmpty() ? "no snapshots" : "snapshots (save " + snapshots + ")"));
            }
            return String.join("; ", kinds);
        } catch (IOException e) {
            return "not known";
        }
    }

    private static String setting(InetSocketAddress server, String name) throws IOException {
        return answer(server, "CONFIG GET " + name, 2).getLast();
    }

    /** The strings of an answer: one, or so many in an array. */
    private static List<String> answer(InetSocketAddress server, String question, int strings) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(server, TIMEOUT_MILLIS);
            socket.getOutputStream().write((question + "\r\n").getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            if (strings > 1) {
                length('*', in);
            }
            List<String> answer = new ArrayList<>();
            for (int i = 0; i < strings; i++) {
                answer.add(string(in));
            }
            return answer;
        }
    }

    /** A string: its length after a dollar sign, and then so many characters and the end of a line. */
    private static String string(BufferedReader in) throws IOException {
        char[] text = new char[length('$', in) + 2];
        for (int filled = 0; filled < text.length; ) {
            int more = in.read(text, filled, text.length - filled);
            if (more < 0) {
                throw new IOException("half an answer");
            }
            filled += more;
        }
        return new String(text, 0, text.length - 2);
    }

    private static int length(char kind, BufferedReader in) throws IOException {
        String head = in.readLine();
        if (head == null || !head.matches("\\" + kind + "[0-9]{1,7}")) {
            throw new IOException("no answer, but: " + head);
        }
        return Integer.parseInt(head.substring(1));
    }
}
