package io.tributary.perf.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.perf.client.Crew.Own;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.judge.SourceCounts;
import io.tributary.perf.machine.Usage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** What the processes of a run tell each other, as JSON. */
final class Wire {
    private Wire() {}

    static ObjectNode counts(Counts counts) {
        ObjectNode node = Frames.message();
        counts.asMap().forEach((count, value) -> node.put(count.name(), value));
        return node;
    }

    static Counts counts(JsonNode node) {
        Map<Count, Long> counts = new EnumMap<>(Count.class);
        for (Count count : Count.values()) {
            counts.put(count, node.path(count.name()).asLong());
        }
        return Counts.of(counts);
    }

    static ObjectNode snapshot(Snapshot snapshot) {
        ObjectNode node = Frames.message();
        node.set("counts", counts(snapshot.counts()));
        node.put("first", snapshot.firstReceivedNanos());
        node.put("last", snapshot.lastReceivedNanos());
        ObjectNode histograms = node.putObject("histograms");
        snapshot.histograms().forEach((metric, histogram) -> {
            ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
            int length = histogram.encodeIntoCompressedByteBuffer(bytes);
            byte[] compressed = new byte[length];
            bytes.get(0, compressed);
            histograms.put(metric.name(), Base64.getEncoder().encodeToString(compressed));
        });
        return node;
    }

    static Snapshot snapshot(JsonNode node) {
        Map<Metric, Histogram> histograms = new EnumMap<>(Metric.class);
        node.path("histograms").properties().forEach(entry -> {
            byte[] bytes = Base64.getDecoder().decode(entry.getValue().asText());
            histograms.put(Metric.valueOf(entry.getKey()), histogram(bytes));
        });
        return new Snapshot(
                counts(node.path("counts")),
                histograms,
                node.path("first").asLong(),
                node.path("last").asLong());
    }

    private static Histogram histogram(byte[] bytes) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
        } catch (DataFormatException e) {
            throw new RunException("a runner sent no histogram", e);
        }
    }

    static ObjectNode sources(SourceCounts sources) {
        ObjectNode node = Frames.message();
        node.set("expected", Frames.MAPPER.valueToTree(sources.expected()));
        node.set("first", Frames.MAPPER.valueToTree(sources.first()));
        return node;
    }

    static SourceCounts sources(JsonNode node) {
        return new SourceCounts(longs(node.path("expected")), longs(node.path("first")));
    }

    /** With what the orchestrator's name service says, so that all runners connect to the same. */
    static ObjectNode address(InetSocketAddress address) {
        ObjectNode node = Frames.message().put("host", address.getHostString()).put("port", address.getPort());
        return address.isUnresolved()
                ? node
                : node.put(
                        "address",
                        Base64.getEncoder().encodeToString(address.getAddress().getAddress()));
    }

    static InetSocketAddress address(JsonNode node) {
        String host = node.path("host").asText();
        int port = node.path("port").asInt();
        if (!node.has("address")) {
            return new InetSocketAddress(host, port);
        }
        try {
            byte[] address = Base64.getDecoder().decode(node.path("address").asText());
            return new InetSocketAddress(InetAddress.getByAddress(host, address), port);
        } catch (UnknownHostException e) {
            throw new RunException("the orchestrator sent no address of " + host, e);
        }
    }

    static ObjectNode own(Own own) {
        ObjectNode node = Frames.message();
        node.set("usage", usage(own.usage()));
        node.set("loops", Frames.MAPPER.valueToTree(own.loopCpuNanos()));
        return node;
    }

    static Own own(JsonNode node) {
        List<Long> loops = new ArrayList<>();
        node.path("loops").forEach(value -> loops.add(value.asLong()));
        return new Own(usage(node.path("usage")), loops);
    }

    private static ObjectNode usage(Usage usage) {
        return Frames.message()
                .put("cpu", usage.cpuNanos())
                .put("rss", usage.rssBytes())
                .put("threads", usage.threads())
                .put("files", usage.files())
                .put("heap", usage.heapBytes())
                .put("written", usage.writtenBytes())
                .put("sent", usage.sentBytes());
    }

    private static Usage usage(JsonNode node) {
        return new Usage(
                node.path("cpu").asLong(),
                node.path("rss").asLong(),
                node.path("threads").asInt(),
                node.path("files").asInt(),
                node.path("heap").asLong(),
                node.path("written").asLong(),
                node.path("sent").asLong(),
                false);
    }

    private static long[] longs(JsonNode array) {
        long[] values = new long[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = array.get(i).asLong();
        }
        return values;
    }
}
