package io.tributary.broker.security.rules;

import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rules of a client's own: the text in which its {@link Principal} has them, and the form in which authenticators are
 * told them. They are asked after all others.
 *
 * <p>In the text each rule has five characters before its topic, and U+0000 is between rules: {@code +p1n up/#} is
 * {@code {allow: publish, topic: "up/#", max-qos: 1, retain: no}}.
 */
public final class OwnRules {
    /** The rules are those that somebody else, such as the store, has for the principal at the moment. */
    public static final String KEPT = "kept";

    /** Rules that allow nothing. */
    public static final String NOTHING = text(List.of(new Rule(Effect.DENY, Action.ALL, TopicPattern.parse("#"))));

    private static final String SEPARATOR = "\0";
    private static final int TOPIC_BEGINS = 5;
    private static final Set<String> KEYS = Set.of("allow", "deny", "topic", "max-qos", "retain");

    private OwnRules() {}

    /** Who has the rules of principals. Any thread; must not block. */
    @FunctionalInterface
    public interface Keeper {

        /** Keeps none. */
        Keeper NONE = _ -> null;

        /** The rules that a principal has of its own at the moment, none perhaps; null when it is not known here. */
        @Nullable
        List<Rule> rulesOf(Principal principal);
    }

    /**
     * Rules that are written as in {@code tributary.security.rules}, once JSON or YAML is read.
     *
     * @param list a list of maps with {@code allow} or {@code deny}, {@code topic}, and perhaps {@code max-qos} and
     *     {@code retain}
     * @throws IllegalArgumentException when it is not that, or has no rules
     */
    public static List<Rule> parse(Object list) {
        if (!(list instanceof List<?> rules) || rules.isEmpty()) {
            throw new IllegalArgumentException("rules must be a list of rules that is not empty");
        }
        List<Rule> parsed = new ArrayList<>();
        for (Object each : rules) {
            try {
                parsed.add(rule(each));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("rules[" + parsed.size() + "] " + e.getMessage(), e);
            }
        }
        return List.copyOf(parsed);
    }

    /** The text of rules. A {@link Principal} takes it when it has {@link Principal#MAX_RULES_BYTES} at most. */
    public static String text(List<Rule> rules) {
        return rules.stream().map(OwnRules::text).collect(Collectors.joining(SEPARATOR));
    }

    /**
     * The rules that a principal has; null for none. What cannot be read allows nothing, and neither does what the
     * keeper does not know.
     */
    static @Nullable List<Rule> of(Principal principal, Keeper keeper) {
        String text = principal.rules();
        if (text.isEmpty() || text.equals(KEPT)) {
            List<Rule> kept = keeper.rulesOf(principal);
            boolean hasNone = kept == null ? text.isEmpty() : kept.isEmpty();
            return hasNone ? null : kept == null ? read(NOTHING) : kept;
        }
        try {
            return read(text);
        } catch (IllegalArgumentException | IndexOutOfBoundsException _) { // by another version, perhaps
            return read(NOTHING);
        }
    }

    private static List<Rule> read(String text) {
        return Stream.of(text.split(SEPARATOR, -1)).map(OwnRules::ruleOf).toList();
    }

    private static String text(Rule rule) {
        return (rule.allows() ? "+" : "-")
                + letter(rule.action())
                + rule.maxQos().code()
                + letter(rule.retain())
                + ' '
                + rule.topic();
    }

    private static Rule ruleOf(String text) {
        return new Rule(
                one(Effect.values(), effect -> effect == Effect.ALLOW ? '+' : '-', text.charAt(0)),
                one(Action.values(), OwnRules::letter, text.charAt(1)),
                TopicPattern.parse(text.substring(TOPIC_BEGINS)),
                QoS.of(text.charAt(2) - '0'),
                one(Retain.values(), OwnRules::letter, text.charAt(3)));
    }

    /** The first of its name. */
    private static char letter(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).charAt(0);
    }

    private static <T> T one(T[] values, Function<T, Character> letter, char wanted) {
        return Stream.of(values)
                .filter(value -> letter.apply(value) == wanted)
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("'" + wanted + "' is not known"));
    }

    private static Rule rule(Object given) {
        if (!(given instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("is no rule");
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        map.forEach((key, value) -> fields.put(String.valueOf(key), value));
        fields.keySet().stream().filter(key -> !KEYS.contains(key)).findFirst().ifPresent(key -> {
            throw new IllegalArgumentException("has '" + key + "'; a rule has "
                    + String.join(", ", KEYS.stream().sorted().toList()));
        });
        Object allow = fields.get("allow");
        Object deny = fields.get("deny");
        if ((allow == null) == (deny == null)) {
            throw new IllegalArgumentException("must have either allow or deny");
        }
        if (!(fields.get("topic") instanceof String topic)) {
            throw new IllegalArgumentException("must have a topic");
        }
        return new Rule(
                allow == null ? Effect.DENY : Effect.ALLOW,
                action(allow == null ? deny : allow),
                TopicPattern.parse(topic),
                maxQos(fields.get("max-qos")),
                retain(fields.get("retain")));
    }

    private static Action action(@Nullable Object word) {
        return Stream.of(Action.values())
                .filter(action -> action.name().toLowerCase(Locale.ROOT).equals(word))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("is not about publish, subscribe or all"));
    }

    private static QoS maxQos(@Nullable Object value) {
        if (value == null) {
            return QoS.EXACTLY_ONCE;
        }
        if (!(value instanceof Number number) || number.doubleValue() != number.intValue()) {
            throw new IllegalArgumentException("has a max-qos that is not 0, 1 or 2");
        }
        int qos = number.intValue();
        if (qos < 0 || qos > 2) {
            throw new IllegalArgumentException("has a max-qos that is not 0, 1 or 2");
        }
        return QoS.of(qos);
    }

    private static Retain retain(@Nullable Object value) {
        if (value == null) {
            return Retain.ANY;
        }
        if (!(value instanceof Boolean flag)) {
            throw new IllegalArgumentException("has a retain that is neither true nor false");
        }
        return flag ? Retain.YES : Retain.NO;
    }
}
