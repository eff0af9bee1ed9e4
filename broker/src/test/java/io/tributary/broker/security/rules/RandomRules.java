package io.tributary.broker.security.rules;

import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.mqtt.QoS;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Random rule sets, clients, topics and filters, from few short texts, so that they often meet. */
final class RandomRules {
    private static final String[] LEVELS = {"a", "b", "c", "", "$x", "longer level"};
    private static final String[] PLACEHOLDERS = {
        "${clientid}", "${username}", "${cn}", "${tenant}", "${group}", "${claim.site}"
    };
    private static final String[] VALUES = {"a", "b", "c", "", "$x", "+", "#", "a/b", "a\0", "longer level"};
    private static final String[] NAMES = {"a", "b", "c"};
    private static final String[] ADDRESSES = {"10.1.2.3", "192.168.0.1", "2001:db8::1"};
    private static final String[] RANGES = {"10.0.0.0/8", "10.1.2.3", "0.0.0.0/0", "2001:db8::/32"};
    private final Random random;

    RandomRules(long seed) {
        random = new Random(seed);
    }

    List<RuleSet> sets() {
        return some(
                4,
                () -> new RuleSet(
                        "set",
                        audience(),
                        Stream.concat(Stream.of(rule()), some(8, this::rule).stream())
                                .toList()));
    }

    Subject subject() {
        Map<String, String> claims = new HashMap<>();
        if (chance(2)) {
            claims.put("site", value());
        }
        return new Subject(
                value(),
                chance(4) ? null : value(),
                chance(4) ? null : value(),
                chance(4) ? null : value(),
                new HashSet<>(some(3, this::value)),
                chance(4) ? null : oneOf(NAMES),
                chance(4) ? null : InetAddress.ofLiteral(oneOf(ADDRESSES)),
                claims,
                chance(4) ? some(4, this::rule) : List.of());
    }

    String topic() {
        String topic = String.join("/", levels(() -> oneOf(LEVELS)));
        return topic.isEmpty() ? "a" : topic;
    }

    String filter() {
        return wild(() -> chance(4) ? "+" : oneOf(LEVELS));
    }

    QoS qos() {
        return oneOf(QoS.values());
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private Rule rule() {
        TopicPattern topic =
                TopicPattern.parse(wild(() -> chance(4) ? "+" : chance(4) ? oneOf(PLACEHOLDERS) : oneOf(LEVELS)));
        Action action = oneOf(Action.values());
        Effect effect = oneOf(Effect.values());
        return new Rule(
                effect,
                action,
                topic,
                effect == Effect.ALLOW ? qos() : QoS.EXACTLY_ONCE,
                action == Action.PUBLISH ? oneOf(Retain.values()) : Retain.ANY);
    }

    private Audience audience() {
        return new Audience(
                Set.copyOf(chance(3) ? some(2, this::value) : List.of()),
                Set.copyOf(chance(5) ? some(4, this::value) : List.of()),
                chance(5) ? List.of(TextPattern.of(oneOf("a*", "?", "*"))) : List.of(),
                chance(5) ? Set.of(oneOf(NAMES)) : Set.of(),
                chance(5) ? List.of(AddressRange.parse(oneOf(RANGES))) : List.of());
    }

    private String value() {
        return oneOf(VALUES);
    }

    private String wild(Supplier<String> level) {
        String[] levels = levels(level);
        if (chance(3)) {
            levels[levels.length - 1] = "#";
        }
        String text = String.join("/", levels);
        return text.isEmpty() ? "#" : text;
    }

    /** Mostly few: then more of them match. */
    private String[] levels(Supplier<String> level) {
        String[] levels = new String[1 + Math.min(random.nextInt(4), random.nextInt(5))];
        Arrays.setAll(levels, _ -> level.get());
        return levels;
    }

    private <T> List<T> some(int most, Supplier<T> each) {
        return Stream.generate(each).limit(random.nextInt(most + 1)).toList();
    }

    @SafeVarargs
    private <T> T oneOf(T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
