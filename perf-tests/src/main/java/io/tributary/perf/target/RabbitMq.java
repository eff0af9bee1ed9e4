package io.tributary.perf.target;

import io.tributary.localcluster.Lifetime;
import io.tributary.localcluster.LocalClusterException;
import io.tributary.localcluster.ServerProcess;
import io.tributary.perf.target.TargetContext.Product;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * RabbitMQ with its plugin for MQTT, as Debian has it. The program itself is asked, not Debian's wrapper, which only
 * root and the service's user may call.
 */
final class RabbitMq implements TargetKind {
    private static final Path SERVER = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
    private static final Path LIBRARIES = Path.of("/usr/lib/rabbitmq/lib");
    private static final String FOLDER = "rabbitmq_server-";

    @Override
    public Target start(TargetContext context) {
        context.refuseTls("RabbitMQ");
        if (context.wire().isWebSocket()) {
            throw new TargetException("RabbitMQ is not set up for WebSocket here");
        }
        if (!SERVER.toFile().canExecute()) {
            throw new TargetException("rabbitmq-server is missing: apt-get install rabbitmq-server");
        }
        String version = version();
        if (context.mqtt().protocol().isMqtt5() && isBeforeMqtt5(version)) {
            throw new TargetException(
                    "RabbitMQ " + version + " has no MQTT 5, which 3.13 brought: --set mqtt.version=3.1.1");
        }
        int port = context.freePort();
        String epmdPort = Integer.toString(context.freePort());
        Path home = context.directory();
        Path plugins = context.write("enabled_plugins", "[rabbitmq_mqtt].\n");
        Path file = context.write("rabbitmq.conf", """
                listeners.tcp = none
                distribution.listener.interface = 127.0.0.1
                mqtt.listeners.tcp.1 = 127.0.0.1:%d
                mqtt.allow_anonymous = true
                mqtt.prefetch = 1000
                log.file.level = error
                """.formatted(port));
        List<String> command = List.of(
                "env",
                "HOME=" + home,
                "RUNNING_UNDER_SYSTEMD=1", // then the script becomes the server, instead of its parent
                "ERL_EPMD_ADDRESS=127.0.0.1",
                "ERL_EPMD_PORT=" + epmdPort,
                "RABBITMQ_NODENAME=perf" + port + "@localhost",
                "RABBITMQ_DIST_PORT=" + context.freePort(),
                "RABBITMQ_MNESIA_BASE=" + home.resolve("data"),
                "RABBITMQ_LOG_BASE=" + home,
                "RABBITMQ_ENABLED_PLUGINS_FILE=" + plugins,
                "RABBITMQ_CONFIG_FILE=" + file,
                SERVER.toString());
        Product product = new Product(
                "RabbitMQ",
                version,
                Map.of(
                        "storage",
                        "its default: durable queues in files for persistent sessions, retained in memory",
                        "queues",
                        "mqtt.prefetch 1000"));
        ServerProcess names = new ServerProcess( // else the server starts one that outlives it
                "epmd",
                List.of("epmd", "-address", "127.0.0.1", "-port", epmdPort),
                epmdPort,
                home.resolve("epmd.log"),
                Lifetime.BOUND);
        try {
            names.start();
            return context.server(product, command, file.toString(), port).ending(names::kill);
        } catch (LocalClusterException e) {
            throw new TargetException(String.valueOf(e.getMessage()), e);
        } catch (TargetException e) {
            names.kill();
            throw e;
        }
    }

    /** By the name of its folder: its command line would leave a daemon behind. */
    private static String version() {
        String[] folders = LIBRARIES.toFile().list((_, name) -> name.startsWith(FOLDER));
        return folders == null || folders.length == 0 ? "unknown" : folders[0].substring(FOLDER.length());
    }

    private static boolean isBeforeMqtt5(String version) {
        String[] parts = version.split("\\.", -1);
        return parts.length > 1 && parts[0].equals("3") && Integer.parseInt(parts[1]) < 13;
    }
}
