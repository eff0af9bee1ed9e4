package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The NATS server with its MQTT listener. */
final class Nats implements TargetKind {
    private static final GoProgram PROGRAM =
            new GoProgram("nats-server", "github.com/nats-io/nats-server/v2", "v2.15.2", "nats-server");

    @Override
    public Target start(TargetContext context) {
        context.refuseTls("NATS");
        if (context.wire().isWebSocket()) {
            throw new TargetException("NATS is not set up for WebSocket here");
        }
        Path program = PROGRAM.find(context.programs());
        int port = context.freePort();
        Path file = context.write("nats.conf", """
                server_name: perf
                listen: "127.0.0.1:%d"
                jetstream { store_dir: "%s" }
                mqtt { host: "127.0.0.1", port: %d, max_ack_pending: 65535 }
                """.formatted(
                        context.freePort(), context.directory().resolve("jetstream"), port));
        Product product = new Product(
                "NATS",
                Programs.output(program.toString(), "--version"),
                Map.of("storage", "JetStream in files, for QoS 1 and 2"));
        return context.server(product, List.of(program.toString(), "-c", file.toString()), file.toString(), port);
    }
}
