package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Mochi MQTT, as its own command runs it. */
final class Mochi implements TargetKind {
    private static final String VERSION = "v2.7.9";
    private static final GoProgram PROGRAM =
            new GoProgram("mochi", "github.com/mochi-mqtt/server/v2/cmd", VERSION, "cmd");

    @Override
    public Target start(TargetContext context) {
        context.refuseTls("Mochi");
        Path program = PROGRAM.find(context.programs());
        String tcp = "127.0.0.1:" + context.freePort();
        String webSocket = "127.0.0.1:" + context.freePort();
        String used = context.wire().isWebSocket() ? webSocket : tcp;
        Product product = new Product("Mochi", VERSION, Map.of("storage", "none: in memory"));
        return context.server(
                product,
                List.of(
                        program.toString(),
                        "--tcp",
                        tcp,
                        "--ws",
                        webSocket,
                        "--info",
                        "127.0.0.1:" + context.freePort()),
                tcp,
                Integer.parseInt(used.substring(used.indexOf(':') + 1)));
    }
}
