package io.tributary.broker.metrics;

import io.tributary.broker.GeneratedDoc;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MetricsDocsTest {

    @Test
    void committedListIsThatOfTheCode() throws Exception {
        String rows = Stream.of(BrokerMeters.values()).map(MetricsDocsTest::row).collect(Collectors.joining("\n"));
        GeneratedDoc.assertUpToDate(
                "metrics.md", GeneratedDoc.template(getClass(), "metrics.md").replace("{{meters}}", rows));
    }

    private static String row(BrokerMeters meter) {
        String tags = meter.tags().stream().map(tag -> "`" + tag + "`").collect(Collectors.joining(", "));
        return "| `%s` | %s | %s | %s | %s |"
                .formatted(
                        meter.meterName(),
                        meter.type().name().toLowerCase(Locale.ROOT),
                        meter.unit(),
                        tags,
                        meter.description())
                .replace("|  |", "| |")
                .replace("|  |", "| |");
    }
}
