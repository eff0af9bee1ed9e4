package io.tributary.broker.subscription;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.Permissions;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.time.LineAMinute;
import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the sessions that subscribe to a topic: the filters without wildcards, the trie of the others, the shared
 * subscriptions, the routes to other nodes, and the cache in front of them. Any thread.
 */
final class SubscriptionIndex {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionIndex.class);

    /** An authorizer that fails may do so for each of a million sessions. */
    private static final LineAMinute WITHOUT_ANYTHING = new LineAMinute(System::nanoTime);

    private static final LineAMinute WITH_ALL = new LineAMinute(System::nanoTime);

    private final ExactFilters exact = new ExactFilters();
    private final SubscriptionTrie<Subscriber, Receiver> trie = new SubscriptionTrie<>();
    /** The other nodes that have transient sessions. */
    private final SubscriptionTrie<String, String> routes = new SubscriptionTrie<>();

    private final SharedGroups groups;
    /** Those of applications: what is for them goes to the one member of {@link #groups} that stands for them all. */
    private final SharedGroups applications;

    private final Authorizer authorizer;
    private final SubscriptionBudget budget;
    private final MatchCache cache;
    private final Function<String, Matches> compute = this::compute;
    private final SubscriptionCounter persistent = new SubscriptionCounter();
    private final SubscriptionCounter transients = new SubscriptionCounter();

    /**
     * Creates one that finds nothing yet.
     *
     * @param authorizer says what subscribers may have of what their subscriptions bring
     * @param budget is told of all that is found
     */
    SubscriptionIndex(
            SharedGroups groups,
            SharedGroups applications,
            int cachedTopics,
            Authorizer authorizer,
            SubscriptionBudget budget) {
        this.groups = groups;
        this.applications = applications;
        this.authorizer = authorizer;
        this.budget = budget;
        this.cache = new MatchCache(cachedTopics);
        budget.countLevels(() -> trie.levels() + routes.levels() + groups.levels() + applications.levels());
    }

    /** Makes a session's subscriptions those in {@code after}, given that they are those in {@code before}. */
    void update(
            Subscriber subscriber,
            Map<TopicFilter, SubscriptionRequest> before,
            Map<TopicFilter, SubscriptionRequest> after) {
        update(subscriber, before, after, null);
    }

    /**
     * The same.
     *
     * @param packed the session with those in {@code after}, where it may stand for its subscriptions, or null
     */
    void update(
            Subscriber subscriber,
            Map<TopicFilter, SubscriptionRequest> before,
            Map<TopicFilter, SubscriptionRequest> after,
            @Nullable PackedSession packed) {
        PackedSession standIn = standIn(packed, after);
        List<SubscriptionRequest> changed = new ArrayList<>();
        for (SubscriptionRequest request : after.values()) {
            if (!request.equals(before.get(request.filter()))) {
                changed.add(request);
            } else if (standIn != null && isExact(request.filter())) {
                exact.renew(request.filter().filter(), standIn);
            }
        }
        put(subscriber, changed, standIn);
        for (TopicFilter filter : before.keySet()) {
            if (!after.containsKey(filter)) {
                remove(subscriber, filter);
            }
        }
    }

    private @Nullable PackedSession standIn(
            @Nullable PackedSession packed, Map<TopicFilter, SubscriptionRequest> subscriptions) {
        if (packed == null || subscriptions.size() == 1) {
            return packed;
        }
        List<String> topics = subscriptions.keySet().stream()
                .filter(SubscriptionIndex::isExact)
                .map(TopicFilter::filter)
                .toList();
        return exact.tellsApart(topics) ? packed : null;
    }

    /** Whether subscriptions may bring messages that their clients may not have. */
    boolean isLimited() {
        return !authorizer.equals(Authorizer.allowAll());
    }

    Matches match(String topic) {
        return cache.get(topic, compute);
    }

    /** Counts what sessions that outlive their connection, or those that do not, are subscribed to. */
    SubscriptionCounter counter(boolean ofPersistent) {
        return ofPersistent ? persistent : transients;
    }

    /** Subscriptions that are there are looked at again: another principal has them, or other rules hold. */
    void look(
            Subscriber subscriber,
            Map<TopicFilter, SubscriptionRequest> subscriptions,
            @Nullable PackedSession packed) {
        put(subscriber, subscriptions.values(), standIn(packed, subscriptions));
    }

    /** Another node has transient sessions with the filter. */
    void putRoute(String filter, String node) {
        if (routes.put(filter, node, node)) {
            budget.addRoute(filter, 1);
        }
        cache.invalidate(filter);
    }

    /** The node has none any more. */
    void removeRoute(String filter, String node) {
        if (routes.remove(filter, node)) {
            budget.addRoute(filter, -1);
        }
        cache.invalidate(filter);
    }

    /** A transient session of another node is a member of a shared subscription. The budget alone counts it. */
    void putMember(TopicFilter filter, Receiver member) {
        Subscriber subscriber = member.subscriber();
        if (groups.join(filter, member.asking(reading(subscriber, asked(subscriber), filter)))) {
            budget.add(subscriber, filter, 1);
        }
        cache.invalidate(filter.filter());
    }

    /** The session is no member any more. */
    void removeMember(TopicFilter filter, Subscriber member) {
        if (groups.leave(filter, member)) {
            budget.add(member, filter, -1);
        }
        cache.invalidate(filter.filter());
    }

    /** A persistent session is connected to another node, and stuck there or not. */
    void online(Subscriber subscriber, String node, boolean isStuck) {
        groups.online(subscriber, node, isStuck);
        applications.online(subscriber, node, isStuck);
    }

    /** The session is not connected at that node any more. */
    void offline(Subscriber subscriber, String node) {
        groups.offline(subscriber, node);
        applications.offline(subscriber, node);
    }

    private void put(Subscriber subscriber, Collection<SubscriptionRequest> requests, @Nullable PackedSession packed) {
        if (requests.isEmpty()) {
            return;
        }
        Permissions asked = asked(subscriber); // once for all of them
        for (SubscriptionRequest request : requests) {
            Receiver receiver = Receiver.of(subscriber, request).asking(reading(subscriber, asked, request.filter()));
            put(receiver, request.filter(), receiver.asked() == null ? packed : null);
        }
    }

    private void put(Receiver receiver, TopicFilter filter, @Nullable PackedSession packed) {
        Subscriber subscriber = receiver.subscriber();
        boolean isNew;
        if (filter.isShared()) {
            isNew = groupsOf(subscriber).join(filter, receiver);
        } else if (isExact(filter)) {
            isNew = exact.put(filter.filter(), receiver, packed);
        } else {
            isNew = trie.put(filter.filter(), subscriber, receiver);
        }
        if (isNew) {
            count(subscriber, filter, 1);
        }
        cache.invalidate(filter.filter());
    }

    private void count(Subscriber subscriber, TopicFilter filter, int change) {
        budget.add(subscriber, filter, change);
        if (isCounted(subscriber)) {
            counter(subscriber.persistent()).add(subscriber, filter.isShared(), change);
        }
    }

    /**
     * Who is asked what a subscriber may have, or null. The embedding application may have all, and of applications
     * that share a session each is asked about when its turn comes.
     */
    private @Nullable Permissions asked(Subscriber subscriber) {
        if (!isLimited() || subscriber.isInProcess() || !isCounted(subscriber)) {
            return null; // without an object for each of a million sessions
        }
        try {
            return permissions(subscriber);
        } catch (RuntimeException failure) {
            return nothing(subscriber, failure);
        }
    }

    /** What is to be asked about each message that a subscription brings, or null. */
    private static @Nullable Permissions reading(
            Subscriber subscriber, @Nullable Permissions asked, TopicFilter filter) {
        try {
            return asked == null ? null : asked.reading(filter.filter());
        } catch (RuntimeException failure) {
            return nothing(subscriber, failure);
        }
    }

    private static Permissions nothing(Subscriber subscriber, RuntimeException failure) {
        String others = WITHOUT_ANYTHING.happened();
        if (others != null) {
            LOG.warn("the authorizer failed, which means no: {} receives nothing{}", subscriber, others, failure);
        }
        return Permissions.nothing();
    }

    /** What the client of a session may do, as far as that can be told here. */
    Permissions permissions(Subscriber subscriber) {
        return subscriber.permissions(authorizer);
    }

    /** Whether a session may have all its subscriptions as they are; true where that cannot be told. */
    boolean isWithinRights(Subscriber subscriber, SessionSubscriptions subscriptions) {
        if (!isLimited() || !isCounted(subscriber)) {
            return true;
        }
        try {
            return subscriptions.areWithin(permissions(subscriber));
        } catch (RuntimeException failure) {
            String others = WITH_ALL.happened();
            if (others != null) {
                LOG.warn("the authorizer failed, so that {} keeps its subscriptions{}", subscriber, others, failure);
            }
            return true;
        }
    }

    private void remove(Subscriber subscriber, TopicFilter filter) {
        boolean existed;
        if (filter.isShared()) {
            existed = groupsOf(subscriber).leave(filter, subscriber);
        } else if (isExact(filter)) {
            existed = exact.remove(filter.filter(), subscriber);
        } else {
            existed = trie.remove(filter.filter(), subscriber);
        }
        if (existed) {
            count(subscriber, filter, -1);
        }
        cache.invalidate(filter.filter());
    }

    /** The shared subscriptions that a session may be a member of. */
    SharedGroups groupsOf(Subscriber subscriber) {
        boolean isApplication = subscriber.persistent() && subscriber.kind().isApplication();
        return isApplication && isCounted(subscriber) ? applications : groups;
    }

    private static boolean isExact(TopicFilter filter) {
        return !filter.isShared() && !filter.hasWildcard();
    }

    private static boolean isCounted(Subscriber subscriber) {
        return !GroupIdentifier.isGroup(subscriber.clientId());
    }

    private Matches compute(String topic) {
        List<Map<Subscriber, Receiver>> hits = trie.isEmpty() ? new ArrayList<>(1) : trie.match(topic);
        Map<Subscriber, Receiver> exactly = exact.match(topic);
        if (!exactly.isEmpty()) {
            hits.add(exactly);
        }
        List<Receiver> receivers = merge(hits);
        List<SharedGroup> matchingGroups = groups.match(topic);
        List<String> nodes = routes.isEmpty() ? List.of() : distinct(routes.match(topic));
        return receivers.isEmpty() && matchingGroups.isEmpty() && nodes.isEmpty()
                ? Matches.NONE
                : new Matches(receivers, matchingGroups, nodes);
    }

    private static List<String> distinct(List<Map<String, String>> hits) {
        if (hits.size() == 1) {
            return List.copyOf(hits.getFirst().keySet());
        }
        Set<String> nodes = new LinkedHashSet<>();
        for (Map<String, String> hit : hits) {
            nodes.addAll(hit.keySet());
        }
        return List.copyOf(nodes);
    }

    /** Makes one receiver of each session; only where several filters match can a session appear twice. */
    private static List<Receiver> merge(List<Map<Subscriber, Receiver>> hits) {
        if (hits.isEmpty()) {
            return List.of();
        }
        if (hits.size() == 1) {
            return new ArrayList<>(hits.getFirst().values());
        }
        Merging merging = new Merging();
        for (Map<Subscriber, Receiver> hit : hits) {
            hit.forEach(merging);
        }
        return merging.merged();
    }

    /** Collects what matches, and makes one receiver of a session that has several when all are there. */
    private static final class Merging implements BiConsumer<Subscriber, Receiver> {
        private final Map<Subscriber, Receiver> receivers = new LinkedHashMap<>();
        /** All of the sessions that have several; null as long as there is none. */
        private @Nullable Map<Subscriber, List<Receiver>> overlapping;

        @Override
        public void accept(Subscriber subscriber, Receiver receiver) {
            Receiver first = receivers.putIfAbsent(subscriber, receiver);
            if (first == null) {
                return;
            }
            if (overlapping == null) {
                overlapping = new HashMap<>();
            }
            overlapping
                    .computeIfAbsent(subscriber, _ -> new ArrayList<>(List.of(first)))
                    .add(receiver);
        }

        private List<Receiver> merged() {
            if (overlapping != null) {
                overlapping.forEach((subscriber, all) -> receivers.put(subscriber, Receiver.merge(all)));
            }
            return new ArrayList<>(receivers.values());
        }
    }
}
