package io.tributary.perf.target;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.tributary.perf.machine.ThisMachine;
import io.tributary.perf.machine.Usage;
import io.tributary.perf.run.Addresses;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * What one node of a Tributary says in its metrics, wherever it runs: its processor time and memory, as those of a
 * process, and single metrics. Asking blocks for a second at most. Any thread.
 */
public final class NodeMetrics implements Supplier<Usage> {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    /** A node that is busy answers later; what it has taken is asked for again. */
    private static final int TRIES = 3;

    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .sslContext(anyCertificate())
            .build();

    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final String CPU = "process_cpu_time_ns";
    private static final String HEAP = "jvm_memory_used_bytes";
    private static final String LIVE = "jvm_gc_live_data_size_bytes";
    private static final String THREADS = "jvm_threads_live_threads";
    private static final String FILES = "process_files_open_files";
    private static final String WRITTEN = "tributary_storage_written_bytes";
    private static final List<String> SENT =
            List.of("tributary_network_bytes", "tributary_links_bytes", "tributary_redis_bytes");

    private static final Set<String> USAGE = Stream.concat(
                    Stream.of(CPU, HEAP, LIVE, THREADS, FILES, WRITTEN), SENT.stream())
            .collect(Collectors.toCollection(TreeSet::new));

    private final URI listener;
    private final boolean isElsewhere;

    /**
     * Of a node.
     *
     * @param listener of HTTP, such as {@code http://10.0.0.5:9093}; with {@code https}, any certificate will do
     * @throws TargetException when it is no such address
     */
    public NodeMetrics(URI listener) {
        if (listener.getHost() == null || !SCHEMES.contains(listener.getScheme())) {
            throw new TargetException(listener + " is not the HTTP listener of a node, such as http://10.0.0.5:9093");
        }
        this.listener = listener;
        isElsewhere = isElsewhere(listener.getHost());
    }

    /** As for the clients of a run: a node is measured, and told nothing. */
    private static SSLContext anyCertificate() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS is part of every Java", e);
        }
    }

    /**
     * Some metrics, as lines.
     *
     * @param names as nodes are asked: a counter without its {@code _total}; they are silent about any other name
     */
    List<String> ask(Set<String> names) throws IOException {
        URI uri = listener.resolve("/actuator/prometheus?includedNames=" + String.join(",", names));
        try {
            HttpResponse<String> answer = CLIENT.send(
                    HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(uri + " answers " + answer.statusCode());
            }
            return answer.body().lines().toList();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The sum of those lines, 0 for none. */
    static long sum(List<String> lines, Predicate<String> which) {
        return lines.stream()
                .filter(which)
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .mapToLong(value -> (long) Double.parseDouble(value))
                .sum();
    }

    /**
     * What the node has taken up to now. Its memory is its heap; what it wrote is what its own store did; what it sent,
     * without what went to Kafka. Blocks for three seconds at most.
     *
     * @throws TargetException where it does not say
     */
    @Override
    public Usage get() {
        for (int tries = 1; true; tries++) {
            try {
                return usage(ask(USAGE));
            } catch (ConnectException e) {
                throw new TargetException("no metrics from " + listener + ": nobody listens there", e);
            } catch (IOException | NumberFormatException e) {
                if (tries == TRIES) {
                    throw new TargetException("no metrics from " + listener + ": " + e.getMessage(), e);
                }
            }
        }
    }

    private Usage usage(List<String> lines) {
        if (lines.stream().noneMatch(line -> line.startsWith(CPU))) {
            throw new TargetException(listener + " is no node of a Tributary: it has no " + CPU + "_total");
        }
        return new Usage(
                sum(lines, line -> line.startsWith(CPU)),
                sum(lines, line -> line.startsWith(HEAP) && line.contains("area=\"heap\"")),
                (int) sum(lines, line -> line.startsWith(THREADS)),
                (int) sum(lines, line -> line.startsWith(FILES)),
                sum(lines, line -> line.startsWith(LIVE)),
                lines.stream().anyMatch(line -> line.startsWith(WRITTEN))
                        ? sum(lines, line -> line.startsWith(WRITTEN))
                        : Usage.UNKNOWN,
                sum(lines, line -> SENT.stream().anyMatch(line::startsWith) && line.contains("\"sent\"")),
                isElsewhere);
    }

    /** Whether a host is not this machine, as far as its addresses tell. */
    private static boolean isElsewhere(String host) {
        try {
            return ThisMachine.isElsewhere(InetAddress.getByName(host));
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * The nodes behind names: a host with several addresses, as a headless Service of Kubernetes has them, is a node
     * for each that answers: {@code NAME-1} and so on, in the order of their addresses. Asks the name service and the
     * nodes, and so blocks.
     *
     * @param err is told who does not answer
     * @throws TargetException where two would have one name, or of a host with several addresses none answers
     */
    public static Map<String, URI> each(Map<String, URI> named, PrintWriter err) {
        return each(named, Addresses::ofHost, listener -> answers(listener, err));
    }

    static Map<String, URI> each(
            Map<String, URI> named, Function<String, List<InetAddress>> names, Predicate<URI> answers) {
        Map<String, URI> nodes = new LinkedHashMap<>();
        named.forEach((name, listener) -> {
            String host = listener.getHost(); // without one, the first question says what is wrong
            List<InetAddress> addresses = host == null ? List.of() : names.apply(host);
            if (addresses.size() < 2) {
                add(nodes, name, listener);
                return;
            }
            List<URI> present = addresses.stream()
                    .map(address -> at(listener, address))
                    .filter(answers)
                    .toList();
            if (present.isEmpty()) {
                throw new TargetException("no metrics from " + listener
                        + ": none of its addresses answers; behind a NetworkPolicy, or by https alone?");
            }
            for (int i = 0; i < present.size(); i++) {
                add(nodes, name + "-" + (i + 1), present.get(i));
            }
        });
        return nodes;
    }

    private static void add(Map<String, URI> nodes, String name, URI listener) {
        if (nodes.put(name, listener) != null) {
            throw new TargetException("--node: two nodes would be called " + name);
        }
    }

    /** A Service may have those that are starting, or stopping. */
    private static boolean answers(URI listener, PrintWriter err) {
        try {
            new NodeMetrics(listener).get();
            return true;
        } catch (TargetException e) {
            err.println("tributary: " + e.getMessage() + ": this run is without that node");
            return false;
        }
    }

    private static URI at(URI listener, InetAddress address) {
        String host = address instanceof Inet6Address ? "[" + address.getHostAddress() + "]" : address.getHostAddress();
        return URI.create(
                listener.getScheme() + "://" + host + (listener.getPort() < 0 ? "" : ":" + listener.getPort()));
    }

    /** What several nodes count, added up. */
    public static Supplier<Map<String, Long>> counts(List<URI> listeners) {
        return new NodeCounts(listeners);
    }

    /** Of several nodes, by their names. */
    public static Map<String, Supplier<Usage>> of(Map<String, URI> nodes) {
        Map<String, Supplier<Usage>> usages = new LinkedHashMap<>();
        nodes.forEach((name, listener) -> usages.put(name, new NodeMetrics(listener)));
        return usages;
    }
}
