package io.tributary.perf.target;

import io.tributary.perf.passthrough.PassThrough;
import io.tributary.perf.target.TargetContext.Product;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** No broker: a {@link PassThrough}, for what sockets and threads cost by themselves. */
final class PassThroughTarget implements TargetKind {
    @Override
    public Target start(TargetContext context) {
        context.refuseTls("pass-through");
        if (context.wire().isWebSocket()) {
            throw new TargetException("pass-through does not speak WebSocket: leave out mqtt.transport");
        }
        int port = context.freePort();
        String address = "127.0.0.1:" + port;
        Product product = new Product(
                "Pass-through",
                "of this load tool",
                Map.of("storage", "none: it keeps nothing, and acknowledges at once"));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseCompactObjectHeaders",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                PassThrough.class.getName(),
                address);
        return context.server(product, command, address, port);
    }
}
