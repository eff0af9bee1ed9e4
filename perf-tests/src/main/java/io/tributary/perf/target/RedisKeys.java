package io.tributary.perf.target;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts the keys of a Redis Cluster: those of its primaries, for replicas have the same. Of servers that ask for no
 * password and no encryption, as those of a local cluster.
 */
final class RedisKeys implements LongSupplier {
    private static final byte[] QUESTION = "INFO replication keyspace\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int TIMEOUT_MILLIS = 500;
    private static final Pattern KEYS = Pattern.compile("^db[0-9]+:keys=([0-9]+),.*");

    private final List<InetSocketAddress> servers;

    /** Of these servers, primaries and replicas. */
    RedisKeys(List<InetSocketAddress> servers) {
        this.servers = List.copyOf(servers);
    }

    /** How many there are now; -1 when not all servers say. Blocks for a second at most for each server. */
    @Override
    public long getAsLong() {
        long sum = 0;
        try {
            for (InetSocketAddress server : servers) {
                sum += keys(server);
            }
            return sum;
        } catch (IOException e) {
            return -1;
        }
    }

    private static long keys(InetSocketAddress server) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(server, TIMEOUT_MILLIS);
            socket.getOutputStream().write(QUESTION);
            return keys(new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)));
        }
    }

    /** The answer: its length after a dollar sign, and then lines of text; 0 from a replica. */
    private static long keys(BufferedReader answer) throws IOException {
        String head = answer.readLine();
        if (head == null || !head.startsWith("$")) {
            throw new IOException("no answer, but: " + head);
        }
        long left = Long.parseLong(head.substring(1));
        long keys = 0;
        boolean primary = false;
        while (left > 0) {
            String line = answer.readLine();
            if (line == null) {
                throw new IOException("half an answer");
            }
            left -= line.length() + 2L;
            primary |= line.equals("role:master");
            Matcher matcher = KEYS.matcher(line);
            keys += matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
        }
        return primary ? keys : 0;
    }
}
