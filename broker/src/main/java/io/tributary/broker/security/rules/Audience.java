package io.tributary.broker.security.rules;

import io.tributary.broker.security.TextPattern;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The clients that a rule set is for: those that all conditions hold for. An empty condition holds for everybody.
 *
 * @param groups the client belongs to one of these
 * @param users the client has one of these user names
 * @param clientIds the client identifier matches one of these
 * @param listeners the client came through one of these listeners
 * @param addresses the client has an address in one of these ranges
 */
public record Audience(
        Set<String> groups,
        Set<String> users,
        List<TextPattern> clientIds,
        Set<String> listeners,
        List<AddressRange> addresses) {

    /** Everybody. */
    public static final Audience EVERYBODY = new Audience(Set.of(), Set.of(), List.of(), Set.of(), List.of());

    /** Copies the collections. */
    public Audience {
        groups = Set.copyOf(groups);
        users = Set.copyOf(users);
        clientIds = List.copyOf(clientIds);
        listeners = Set.copyOf(listeners);
        addresses = List.copyOf(addresses);
    }

    /** Whether the client belongs to it. */
    boolean includes(Subject subject) {
        return (groups.isEmpty() || !Collections.disjoint(groups, subject.groups()))
                && (users.isEmpty() || isOneOf(users, subject.userName()))
                && (clientIds.isEmpty() || clientIds.stream().anyMatch(id -> id.matches(subject.clientId())))
                && (listeners.isEmpty() || isOneOf(listeners, subject.listener()))
                && (addresses.isEmpty() || isWithin(subject.remoteAddress()));
    }

    /** Whether the client may belong to it, for all that is known of the client. */
    boolean mayInclude(Subject subject) {
        return switch (subject.known()) {
            case ALL -> includes(subject);
            case PRINCIPAL -> new Audience(groups, users, clientIds, Set.of(), List.of()).includes(subject);
            case CLIENT_ID -> new Audience(Set.of(), Set.of(), clientIds, Set.of(), List.of()).includes(subject);
        };
    }

    /** All that is written in it. */
    Stream<String> texts() {
        return Stream.of(groups, users, clientIds, listeners, addresses)
                .flatMap(Collection::stream)
                .map(Object::toString);
    }

    private static boolean isOneOf(Set<String> names, @Nullable String name) {
        return name != null && names.contains(name);
    }

    private boolean isWithin(@Nullable InetAddress address) {
        return address != null && addresses.stream().anyMatch(range -> range.contains(address));
    }
}
