package io.tributary.perf.target;

import io.tributary.perf.target.TargetContext.Product;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Our broker alone, started by the launcher as anyone would. */
final class Standalone implements TargetKind {
    private static final String NAME = "Tributary standalone";

    @Override
    public Target start(TargetContext context) {
        int tcp = context.freePort();
        int webSocket = context.freePort();
        int http = context.freePort();
        String data = "--tributary.data-dir=" + context.directory().resolve("data");
        List<String> command = new ArrayList<>(List.of(
                context.launcher().toString(),
                "run",
                data,
                "--tributary.listeners.tcp.port=" + tcp,
                "--tributary.listeners.ws.port=" + webSocket,
                "--server.port=" + http));
        Security.of(context)
                .settings(context.wire().isWebSocket() ? "ws" : "tcp")
                .forEach(setting -> command.add("--tributary." + setting));
        context.settings().forEach((key, value) -> command.add("--" + key + "=" + value));
        Map<String, String> facts = new TreeMap<>(context.settings());
        facts.put("storage", "embedded, write-ahead log on, default settings but those above");
        Product product = new Product(NAME, Programs.output(context.launcher().toString(), "version"), facts);
        return context.server(product, command, data, context.wire().isWebSocket() ? webSocket : tcp)
                .counting(NodeCounts.here(List.of(http)));
    }
}
