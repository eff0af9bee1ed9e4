package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Eclipse Mosquitto, of the distribution. */
final class Mosquitto implements TargetKind {

    @Override
    public Target start(TargetContext context) {
        Path program = Programs.find("mosquitto")
                .orElseThrow(() -> new TargetException("mosquitto is missing: apt-get install mosquitto"));
        int port = context.freePort();
        Path file = context.write("mosquitto.conf", """
                listener %d 127.0.0.1
                protocol %s
                persistence false
                max_queued_messages 100000
                max_inflight_messages 1000
                log_type error
                %s
                """.formatted(
                        port,
                        context.wire().isWebSocket() ? "websockets" : "mqtt",
                        Security.of(context).mosquitto()));
        Product product = new Product(
                "Mosquitto",
                Programs.output(program.toString(), "-h"),
                Map.of(
                        "storage",
                        "none: persistence false",
                        "queues",
                        "max_queued_messages 100000, max_inflight_messages 1000"));
        return context.server(product, List.of(program.toString(), "-c", file.toString()), file.toString(), port);
    }
}
