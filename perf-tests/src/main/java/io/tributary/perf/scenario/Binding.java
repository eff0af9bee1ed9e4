package io.tributary.perf.scenario;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes records of maps, strictly: a name that nobody knows is an error, and so is one that is missing. */
public final class Binding {
    private static final Pattern DURATION = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*(us|ms|s|m|h)");

    /** How the library begins what it says of a setting that is not there; it has no exception for it. */
    private static final String MISSING = "Missing creator property";

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .addModule(new SimpleModule()
                    .addDeserializer(Duration.class, new DurationReader())
                    .addDeserializer(Draw.class, new DrawReader()))
            .build();

    private Binding() {}

    /**
     * The record of a tree.
     *
     * @throws ScenarioException if it does not fit, with the place in the tree
     */
    public static <T> T bind(String name, Map<String, Object> tree, Class<T> type) {
        try {
            return MAPPER.convertValue(tree, type);
        } catch (IllegalArgumentException e) {
            throw new ScenarioException(name + ": " + explain(e), e);
        }
    }

    private static String explain(IllegalArgumentException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ScenarioException) {
                return String.valueOf(cause.getMessage());
            }
        }
        return switch (failure.getCause()) {
            case UnrecognizedPropertyException unknown ->
                path(unknown) + ": there is no such setting; there are "
                        + unknown.getKnownPropertyIds().stream()
                                .map(String::valueOf)
                                .sorted()
                                .collect(Collectors.joining(", "));
            case InvalidFormatException wrong ->
                path(wrong) + ": '" + wrong.getValue() + "' is not " + kind(wrong.getTargetType());
            case JsonMappingException missing
            when missing.getOriginalMessage().startsWith(MISSING) -> path(missing) + ": has to be there, and is not";
            case JsonMappingException mapping -> path(mapping) + ": " + mapping.getOriginalMessage();
            case null, default -> String.valueOf(failure.getMessage());
        };
    }

    private static String kind(Class<?> type) {
        if (type.isEnum()) {
            return Stream.of(type.getEnumConstants())
                    .map(choice -> choice.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        return type == double.class || type == Double.class ? "a number" : "a whole number";
    }

    private static String path(JsonMappingException failure) {
        return failure.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
                .collect(Collectors.joining("."))
                .replace(".[", "[");
    }

    /**
     * A length of time: a number with us, ms, s, m or h.
     *
     * @throws ScenarioException if it is none
     */
    public static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text.strip());
        if (!matcher.matches()) {
            throw new ScenarioException("'" + text + "' is not a time such as 500ms, 20s, 10m or 2h");
        }
        double unitNanos = switch (matcher.group(2)) {
            case "us" -> 1e3;
            case "ms" -> 1e6;
            case "s" -> 1e9;
            case "m" -> 60e9;
            default -> 3_600e9;
        };
        return Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * unitNanos));
    }

    private static final class DurationReader extends StdDeserializer<Duration> {
        private static final long serialVersionUID = 1L;

        DurationReader() {
            super(Duration.class);
        }

        @Override
        public Duration deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return duration(parser.getText());
        }
    }

    private static final class DrawReader extends StdDeserializer<Draw> {
        private static final long serialVersionUID = 1L;

        DrawReader() {
            super(Draw.class);
        }

        @Override
        public Draw deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            JsonNode node = parser.readValueAsTree();
            if (node.isNumber()) {
                return Draw.constant(node.asDouble());
            }
            if (!node.isObject() || !node.path("mean").isNumber()) {
                throw JsonMappingException.from(
                        parser, "needs a number, or {mean: ..., deviation (or variance): ..., min: ..., max: ...}");
            }
            double mean = node.path("mean").asDouble();
            double variance = node.path("variance").asDouble(0);
            double deviation = node.path("deviation").asDouble(Math.sqrt(Math.max(0, variance)));
            return new Draw(
                    mean,
                    deviation,
                    node.path("min").asDouble(mean - 4 * deviation),
                    node.path("max").asDouble(mean + 4 * deviation));
        }
    }

    /** As text, for another process; {@link PlannedRun#fromText} reads it. */
    static String write(Map<String, Object> tree) {
        try {
            return MAPPER.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new ScenarioException("the scenario cannot be written: " + e.getOriginalMessage(), e);
        }
    }
}
