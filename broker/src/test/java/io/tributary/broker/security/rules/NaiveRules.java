package io.tributary.broker.security.rules;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Rules as docs/security.md describes them: one after the other, with a new list for everything. */
final class NaiveRules {
    /** A level of a bound topic that is any level at all. */
    private static final String ANY = "\uFFFF";

    /** A level that nobody has written in a rule. */
    private static final String FRESH = "\uFFFE";

    private static final int DEEPER_THAN_ALL = 8;

    private final Subject subject;
    private final List<Rule> rules = new ArrayList<>();
    private final boolean without;

    NaiveRules(List<RuleSet> sets, Subject subject) {
        this.subject = subject;
        for (RuleSet set : sets) {
            if (isFor(set.audience())) {
                rules.addAll(set.rules());
            }
        }
        rules.addAll(subject.rules());
        without = sets.isEmpty() && subject.rules().isEmpty();
    }

    boolean mayPublish(String topic, QoS qos, boolean retain) {
        if (without) {
            return !topic.startsWith("$");
        }
        for (Rule rule : rules) {
            boolean fits = rule.action() != Action.SUBSCRIBE
                    && (rule.retain() == Retain.ANY || (rule.retain() == Retain.YES) == retain);
            if (fits && matches(rule, topic)) {
                return rule.effect() == Effect.ALLOW
                        && qos.code() <= rule.maxQos().code();
            }
        }
        return false;
    }

    boolean mayReceive(String topic) {
        for (Rule rule : rules) {
            if (rule.action() != Action.PUBLISH && matches(rule, topic)) {
                return rule.effect() == Effect.ALLOW;
            }
        }
        return without;
    }

    Extent extent(String filter) {
        if (without) {
            return Extent.WHOLE;
        }
        boolean cut = false;
        for (Rule rule : rules) {
            if (rule.action() == Action.PUBLISH) {
                continue;
            }
            if (covers(rule, filter)) {
                return rule.effect() == Effect.DENY ? Extent.REFUSED : cut ? Extent.CUT : Extent.WHOLE;
            }
            cut |= rule.effect() == Effect.DENY && overlaps(rule, filter);
        }
        return Extent.REFUSED;
    }

    QoS granted(String filter, QoS asked) {
        for (Rule rule : rules) {
            if (rule.action() != Action.PUBLISH && covers(rule, filter)) {
                return asked.min(rule.maxQos());
            }
        }
        return asked;
    }

    private boolean isFor(Audience audience) {
        return (audience.groups().isEmpty() || audience.groups().stream().anyMatch(subject.groups()::contains))
                && isOneOf(audience.users(), subject.userName())
                && (audience.clientIds().isEmpty()
                        || audience.clientIds().stream().anyMatch(id -> id.matches(subject.clientId())))
                && isOneOf(audience.listeners(), subject.listener())
                && (audience.addresses().isEmpty()
                        || (subject.remoteAddress() != null
                                && audience.addresses().stream()
                                        .anyMatch(range -> range.contains(subject.remoteAddress()))));
    }

    private static boolean isOneOf(Set<String> names, @Nullable String name) {
        return names.isEmpty() || (name != null && names.contains(name));
    }

    private boolean matches(Rule rule, String topic) {
        return filters(rule).stream().anyMatch(filter -> matches(filter, levels(topic), 0));
    }

    /** All that the filter matches is matched by the rule: it is when what nobody has written is. */
    private boolean covers(Rule rule, String filter) {
        List<List<String>> witnesses = new ArrayList<>();
        List<String> levels = levels(filter);
        List<String> witness = new ArrayList<>(levels.stream()
                .filter(level -> !level.equals("#"))
                .map(level -> level.equals("+") ? FRESH : level)
                .toList());
        if (!witness.isEmpty()) {
            witnesses.add(List.copyOf(witness));
        }
        for (int i = 0; levels.getLast().equals("#") && i < DEEPER_THAN_ALL; i++) {
            witness.add(FRESH);
            witnesses.add(List.copyOf(witness));
        }
        // One of a client's groups may be right for one witness, and another one for none: they are fresh alike.
        return filters(rule).stream().anyMatch(of -> witnesses.stream().allMatch(topic -> matches(of, topic, 0)));
    }

    private boolean overlaps(Rule rule, String filter) {
        List<String> asked = levels(filter);
        for (List<String> denied : filters(rule)) {
            for (int length = 1; length <= DEEPER_THAN_ALL; length++) {
                List<String> topic = new ArrayList<>();
                for (int i = 0; i < length; i++) {
                    topic.add(isText(denied, i) ? denied.get(i) : isText(asked, i) ? asked.get(i) : FRESH);
                }
                if (matches(denied, topic, 0) && matches(asked, topic, 0)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isText(List<String> filter, int i) {
        return i < filter.size() && !Set.of("+", "#", ANY).contains(filter.get(i));
    }

    /** The topic filters that a rule stands for with the client. */
    private List<List<String>> filters(Rule rule) {
        List<List<String>> filters = List.of(List.of());
        List<String> levels = levels(rule.topic().toString());
        for (int i = 0; i < levels.size(); i++) {
            List<String> choices = choices(levels.get(i), i == 0, rule.effect());
            filters = filters.stream()
                    .flatMap(begun -> choices.stream()
                            .map(level -> Stream.concat(begun.stream(), Stream.of(level))
                                    .toList()))
                    .toList();
        }
        return filters;
    }

    private List<String> choices(String level, boolean first, Effect effect) {
        if (!level.startsWith("${")) {
            return List.of(level);
        }
        List<String> values = new ArrayList<>();
        switch (level) {
            case "${clientid}" -> values.add(subject.clientId());
            case "${username}" -> values.add(String.valueOf(subject.userName()));
            case "${cn}" -> values.add(String.valueOf(subject.commonName()));
            case "${tenant}" -> values.add(String.valueOf(subject.tenant()));
            case "${group}" -> values.addAll(subject.groups());
            default -> values.add(String.valueOf(subject.claims().get(level.substring(8, level.length() - 1))));
        }
        List<String> choices = new ArrayList<>(values);
        choices.removeIf(value -> value.equals("null")
                || value.isEmpty()
                || value.contains("/")
                || value.contains("+")
                || value.contains("#")
                || value.contains("\0")
                || (first && value.startsWith("$")));
        boolean strange = values.isEmpty() || choices.size() < values.size();
        if (strange && effect == Effect.DENY) {
            choices.add(ANY);
        }
        return choices;
    }

    /** Whether a filter matches a topic from a level on. */
    static boolean matches(List<String> filter, List<String> topic, int from) {
        if (from == filter.size()) {
            return from == topic.size();
        }
        String level = filter.get(from);
        boolean reserved = from == 0 && topic.getFirst().startsWith("$");
        if (level.equals("#")) {
            return !reserved;
        }
        if (from == topic.size()) {
            return false;
        }
        boolean same = level.equals(ANY) || (level.equals("+") ? !reserved : level.equals(topic.get(from)));
        return same && matches(filter, topic, from + 1);
    }

    static List<String> levels(String text) {
        return Arrays.asList(text.split("/", -1));
    }
}
