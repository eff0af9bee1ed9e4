package io.tributary.server.settings;

import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.broker.security.rules.Audience;
import io.tributary.server.settings.check.SettingException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The clients that a rule set is for: those for which one value of each setting that is given holds. Without any, all
 * clients.
 *
 * @param groups Groups, of which the client belongs to one.
 * @param users User names.
 * @param clientIds Patterns of client identifiers, written as those of {@code tributary.applications.rules}: {@code *}
 *     stands for any characters, {@code ?} for one, and after {@code regex:} comes a regular expression of RE2.
 * @param listeners Names of listeners that the client comes through.
 * @param addresses Addresses of clients, or ranges of them, such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}.
 */
public record AudienceSettings(
        @Nullable List<String> groups,
        @Nullable List<String> users,
        @Nullable List<String> clientIds,
        @Nullable List<String> listeners,
        @Nullable List<String> addresses) {

    /**
     * The clients.
     *
     * @param known the names of all listeners
     * @throws SettingException when a value is not well made
     */
    Audience audience(String group, Set<String> known) {
        return new Audience(
                Set.copyOf(each(group + ".groups", groups, text -> text)),
                Set.copyOf(each(group + ".users", users, text -> text)),
                each(group + ".client-ids", clientIds, TextPattern::of),
                Set.copyOf(each(group + ".listeners", listeners, text -> listener(text, known))),
                each(group + ".addresses", addresses, AddressRange::parse));
    }

    private static String listener(String text, Set<String> known) {
        if (!known.contains(text)) {
            throw new IllegalArgumentException(ListenerSettings.unknown(text, known));
        }
        return text;
    }

    /** An empty list would be for nobody, and is no more likely to be meant than one that was forgotten. */
    private static <T> List<T> each(String name, @Nullable List<String> texts, Function<String, T> value) {
        if (texts == null) {
            return List.of();
        }
        if (texts.isEmpty() || texts.contains("")) {
            throw new SettingException(name, "has an empty value; leave it out for all clients");
        }
        return IntStream.range(0, texts.size())
                .mapToObj(i -> SettingException.naming(name + "[" + i + "]", () -> value.apply(texts.get(i))))
                .toList();
    }
}
