package io.tributary.broker.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Registers meters of the list. A counter is a {@link LongAdder}, which is read only when the meters are read. */
public record Meters(MeterRegistry registry) {
    private static final Duration[] BUCKETS = {
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5)
    };

    /** A counter with these values of the meter's tags. */
    public LongAdder counter(BrokerMeters meter, String... tagValues) {
        check(meter, BrokerMeters.Type.COUNTER);
        LongAdder count = new LongAdder();
        FunctionCounter.builder(meter.meterName(), count, LongAdder::doubleValue)
                .description(meter.description())
                .baseUnit(unit(meter))
                .tags(tags(meter, tagValues))
                .register(registry);
        return count;
    }

    /** A counter for each constant of an enum, whose name is the value of the meter's last tag. */
    public <E extends Enum<E>> Map<E, LongAdder> counters(BrokerMeters meter, Class<E> type, String... firstTagValues) {
        Map<E, LongAdder> counters = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            List<String> values = new ArrayList<>(List.of(firstTagValues));
            values.add(tagValue(constant));
            counters.put(constant, counter(meter, values.toArray(String[]::new)));
        }
        return counters;
    }

    /** The counter of a constant, of {@link #counters}. */
    public static <E extends Enum<E>> LongAdder of(Map<E, LongAdder> counters, E constant) {
        return Objects.requireNonNull(counters.get(constant));
    }

    /** The sum of some counters. */
    static long sum(Collection<LongAdder> counters) {
        return counters.stream().mapToLong(LongAdder::sum).sum();
    }

    /** The name of a constant as the value of a tag. */
    public static String tagValue(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** A gauge with these values of the meter's tags, which shows what the supplier gives whenever it is read. */
    public Gauge gauge(BrokerMeters meter, DoubleSupplier value, String... tagValues) {
        check(meter, BrokerMeters.Type.GAUGE);
        return Gauge.builder(meter.meterName(), value, DoubleSupplier::getAsDouble)
                .description(meter.description())
                .baseUnit(unit(meter))
                .tags(tags(meter, tagValues))
                .strongReference(true)
                .register(registry);
    }

    /** Takes a gauge away. */
    void remove(Gauge gauge) {
        registry.remove(gauge);
    }

    /** A timer with buckets from a tenth of a millisecond, a fast disk's write, to five seconds. */
    public Timer timer(BrokerMeters meter, String... tagValues) {
        check(meter, BrokerMeters.Type.TIMER);
        return Timer.builder(meter.meterName())
                .description(meter.description())
                .tags(tags(meter, tagValues))
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    private static void check(BrokerMeters meter, BrokerMeters.Type type) {
        if (meter.type() != type) {
            throw new IllegalArgumentException(meter + " is a " + meter.type());
        }
    }

    private static @Nullable String unit(BrokerMeters meter) {
        return meter.unit().isEmpty() ? null : meter.unit();
    }

    private static List<Tag> tags(BrokerMeters meter, String... values) {
        if (values.length != meter.tags().size()) {
            throw new IllegalArgumentException(meter + " has tags " + meter.tags());
        }
        List<Tag> tags = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            tags.add(Tag.of(meter.tags().get(i), values[i]));
        }
        return tags;
    }
}
