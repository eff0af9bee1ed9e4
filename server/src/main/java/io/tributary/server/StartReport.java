package io.tributary.server;

import io.tributary.broker.deployment.ClusterStatus;
import io.tributary.broker.network.BoundListener;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ListenerKind;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.server.settings.check.Units;
import java.io.IOException;
import java.io.Reader;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/**
 * Says, when all has started, where the broker listens and where it keeps its data, or what cluster it is a node of;
 * ends with the line {@code ready}, once the first rounds of the canary were good.
 */
final class StartReport implements ApplicationListener<ApplicationReadyEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(StartReport.class);

    private static final String ANY_ADDRESS = "0.0.0.0";

    private final RunningBroker broker;
    private final @Nullable BuildProperties build;

    StartReport(RunningBroker broker, @Nullable BuildProperties build) {
        this.broker = broker;
        this.build = build;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        LOG.info("Tributary {}, node '{}'", version(), broker.config().broker().nodeName());
        ClusterConfig cluster = broker.config().cluster();
        if (cluster == null) {
            reportData();
        } else {
            clusterLines(cluster, linkPort()).forEach(LOG::info);
        }
        List<BoundListener> listeners = broker.broker().listeners();
        reportListeners(listeners);
        if (listeners.stream().allMatch(StartReport::isLocal)) {
            LOG.info("reachable from this machine alone; docs/security.md says how to open it to the network");
        }
        managementLines(event.getApplicationContext().getEnvironment()).forEach(LOG::info);
        reportLimits(ProcessLimits.of(broker.config()));
        LOG.info("docs/configuration.md lists the settings, docs/operating.md says what to watch");
        broker.broker().canaryPassed().thenRun(StartReport::announce);
    }

    private static void reportLimits(ProcessLimits limits) {
        LOG.info("{}", limits.words());
        limits.warnings().forEach(warning -> LOG.warn("{}", warning));
    }

    /** Where health and metrics are, with the port that was picked; nothing when there is no web server. */
    static List<String> managementLines(Environment environment) {
        String port =
                environment.getProperty("local.management.port", environment.getProperty("local.server.port", ""));
        if (port.isEmpty()) {
            return List.of();
        }
        String host = environment.getProperty(
                "management.server.address", environment.getProperty("server.address", ANY_ADDRESS));
        String root = (isSecured(environment) ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + port + environment.getProperty("management.endpoints.web.base-path", "/actuator");
        return List.of("health at " + root + "/health, metrics at " + root + "/prometheus");
    }

    private static boolean isSecured(Environment environment) {
        return environment.containsProperty(ManagementPort.CERTIFICATE)
                || Stream.of("bundle", "certificate", "key-store")
                        .anyMatch(name -> environment.containsProperty("server.ssl." + name));
    }

    private void reportData() {
        Path folder = broker.config().broker().dataDirectory();
        LOG.info("data in {} (format {}, sync {})", folder, format(folder), sync());
    }

    private int linkPort() {
        ClusterStatus status = broker.broker().status().cluster();
        return status == null ? 0 : status.linkPort();
    }

    /**
     * What a node says of its cluster: names and addresses, no secrets.
     *
     * @param linkPort the port for links, also where one was picked
     */
    static List<String> clusterLines(ClusterConfig cluster, int linkPort) {
        KafkaConfig kafka = cluster.kafka();
        String nodes =
                cluster.redis().nodes().stream().map(RedisConfig.Node::toString).collect(Collectors.joining(","));
        return List.of(
                "cluster '" + cluster.link().clusterId() + "', " + cluster.shards() + " shards, logs kept for "
                        + Units.text(cluster.retention()),
                "Kafka at " + kafka.bootstrapServers() + " (topics " + kafka.topicPrefix() + ".*, "
                        + kafka.replicationFactor() + " copies)",
                "Redis Cluster at " + nodes,
                "links to other nodes at " + cluster.link().host() + ", port " + linkPort);
    }

    private void reportListeners(List<BoundListener> listeners) {
        var configs = broker.config().broker().listeners().stream()
                .collect(Collectors.toMap(ListenerConfig::name, Function.identity()));
        for (BoundListener listener : listeners) {
            ListenerConfig config = configs.get(listener.name());
            if (config != null) {
                LOG.info(
                        "listening on {} ({}, listener '{}')",
                        address(listener.address()),
                        words(config),
                        listener.name());
            }
        }
    }

    private static String words(ListenerConfig listener) {
        String protocol = switch (listener.kind()) {
            case ListenerKind.Tcp() -> "mqtt over tcp";
            case ListenerKind.WebSocket(String path) -> "mqtt over websocket, path " + path;
        };
        TlsConfig tls = listener.tls();
        return tls == null
                ? protocol
                : protocol + ", TLS by " + tls.chosenEngine().words() + clients(tls);
    }

    private static String clients(TlsConfig tls) {
        return switch (tls.clientCertificates()) {
            case NONE -> "";
            case WANT -> ", clients may show certificates";
            case NEED -> ", clients must show certificates";
        };
    }

    private static String address(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private static boolean isLocal(BoundListener listener) {
        return listener.address().getAddress().isLoopbackAddress();
    }

    private String version() {
        return build == null ? "(version unknown)" : build.getVersion() + " (" + build.get("commit") + ")";
    }

    private String sync() {
        return broker.config().broker().storage().sync().name().toLowerCase(Locale.ROOT);
    }

    private static String format(Path folder) {
        Properties marker = new Properties();
        try (Reader reader = Files.newBufferedReader(folder.resolve("VERSION"))) {
            marker.load(reader);
        } catch (IOException e) {
            return "unknown: " + e.getMessage();
        }
        return marker.getProperty("format", "unknown");
    }

    private static String secondsSinceLaunch() {
        return String.format(
                Locale.ROOT, "%.2f", ManagementFactory.getRuntimeMXBean().getUptime() / 1000.0);
    }

    /** Whatever the log looks like: what starts the broker and waits for it can rely on this line. */
    @SuppressWarnings("SystemOut")
    private static void announce() {
        LOG.info("started in {} s", secondsSinceLaunch());
        System.out.println("ready");
        System.out.flush();
    }
}
