package io.tributary.server.api;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The fields of a JSON object, taken one by one: what is not of the right kind, and a field that nobody takes, is a
 * {@link ApiProblem} that names it.
 */
final class JsonFields {
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION) // it may have a password in it
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String place;
    private final JsonNode object;
    private final Set<String> taken = new TreeSet<>();

    private JsonFields(String place, JsonNode object) {
        if (!object.isObject()) {
            throw ApiProblem.bad(named(place) + " must be a JSON object");
        }
        this.place = place;
        this.object = object;
    }

    /** Those of the object that is written so. */
    static JsonFields parse(byte[] json) {
        try {
            return new JsonFields("", MAPPER.readTree(json));
        } catch (JacksonException e) {
            throw new ApiProblem(
                    HttpStatus.BAD_REQUEST,
                    "the body is no JSON: "
                            + e.getOriginalMessage().lines().findFirst().orElse(""),
                    null);
        }
    }

    /** Those of an object that was read elsewhere. */
    static JsonFields of(Map<String, ?> object) {
        return new JsonFields("", MAPPER.valueToTree(object));
    }

    /** The bytes of a JSON text. */
    static byte[] write(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /** Whether there is a field, null or not. */
    boolean has(String name) {
        return object.has(name);
    }

    @Nullable
    String text(String name) {
        JsonNode value = take(name);
        if (value == null) {
            return null;
        }
        if (!value.isString()) {
            throw wrong(name, "a text");
        }
        return value.stringValue();
    }

    String textThatMustBe(String name) {
        String text = text(name);
        if (text == null) {
            throw ApiProblem.bad(place + name + " is missing");
        }
        return text;
    }

    boolean flag(String name) {
        Boolean value = optionalFlag(name);
        return value != null && value;
    }

    @Nullable
    Boolean optionalFlag(String name) {
        JsonNode value = take(name);
        if (value != null && !value.isBoolean()) {
            throw wrong(name, "true or false");
        }
        return value == null ? null : value.booleanValue();
    }

    @Nullable
    Long number(String name) {
        JsonNode value = take(name);
        if (value != null && !(value.isIntegralNumber() && value.canConvertToLong())) {
            throw wrong(name, "a whole number");
        }
        return value == null ? null : value.longValue();
    }

    @Nullable
    Integer smallNumber(String name) {
        Long value = number(name);
        if (value != null && value.intValue() != value) {
            throw wrong(name, "from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE);
        }
        return value == null ? null : value.intValue();
    }

    @Nullable
    Instant time(String name) {
        String text = text(name);
        try {
            Instant time = text == null ? null : Instant.parse(text);
            if (time != null && time.toEpochMilli() <= 0) {
                throw wrong(name, "a time after 1970");
            }
            return time;
        } catch (DateTimeParseException | ArithmeticException _) {
            throw wrong(name, "a time such as 2030-01-31T12:00:00Z");
        }
    }

    List<String> texts(String name) {
        JsonNode value = take(name);
        List<String> texts = new ArrayList<>();
        if (value == null) {
            return texts;
        }
        if (!value.isArray() || !value.valueStream().allMatch(JsonNode::isString)) {
            throw wrong(name, "a list of texts");
        }
        value.forEach(each -> texts.add(each.stringValue()));
        return texts;
    }

    Map<String, String> textsByName(String name) {
        JsonFields fields = object(name);
        return fields == null ? Map.of() : fields.textsByName();
    }

    /** All fields, each of which must be a text. */
    Map<String, String> textsByName() {
        Map<String, String> texts = new LinkedHashMap<>();
        names().forEach(each -> texts.put(each, textThatMustBe(each)));
        return texts;
    }

    @Nullable
    JsonFields object(String name) {
        JsonNode value = take(name);
        return value == null ? null : new JsonFields(place + name + ".", value);
    }

    List<JsonFields> objects(String name) {
        JsonNode value = take(name);
        List<JsonFields> objects = new ArrayList<>();
        if (value == null) {
            return objects;
        }
        if (!value.isArray()) {
            throw wrong(name, "a list");
        }
        for (JsonNode each : value) {
            objects.add(new JsonFields(place + name + "[" + objects.size() + "].", each));
        }
        return objects;
    }

    /** Takes fields that the API itself writes, so that an answer can be sent back. */
    void ignore(String... names) {
        taken.addAll(List.of(names));
    }

    Set<String> names() {
        return new TreeSet<>(object.propertyNames());
    }

    /** To be called last. */
    void nothingElse() {
        Set<String> left = names();
        left.removeAll(taken);
        if (!left.isEmpty()) {
            throw ApiProblem.bad(place + left.iterator().next() + " is unknown; there are " + String.join(", ", taken));
        }
    }

    private @Nullable JsonNode take(String name) {
        taken.add(name);
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    private ApiProblem wrong(String name, String kind) {
        return ApiProblem.bad(place + name + " must be " + kind);
    }

    /** What is wrong with the object as a whole. */
    ApiProblem wrong(String words) {
        return ApiProblem.bad(named(place) + " " + words);
    }

    /** What is wrong with one of its fields, in words that begin with the field's name. */
    ApiProblem wrongField(String words) {
        return ApiProblem.bad(place + words);
    }

    /** Of an object within others its place, without the dot before its fields. */
    private static String named(String place) {
        return place.isEmpty() ? "the body" : place.substring(0, place.length() - 1);
    }
}
