package io.tributary.broker.subscription;

import io.tributary.broker.security.Revocations;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.TenantNames;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.stream.Collectors;

/** A subscription that rules do not cover any more as it is, and what becomes of it. */
public record Withdrawal(Change change, TopicFilter filter) {

    /** What becomes of such a subscription. */
    public enum Change {
        /** No rule allows it: it is removed, as if its client had unsubscribed. */
        REMOVED,
        /** A rule allows it with a lower QoS: it has that from now on. */
        LOWERED
    }

    /** The filters of those that were removed. */
    public static List<TopicFilter> removed(List<Withdrawal> withdrawn) {
        return withdrawn.stream()
                .filter(each -> each.change == Change.REMOVED)
                .map(Withdrawal::filter)
                .toList();
    }

    /**
     * Has withdrawals counted and noted.
     *
     * @param from the session that had the subscriptions
     * @return whether some subscriptions were removed; of the others the QoS was lowered
     */
    public static boolean count(List<Withdrawal> withdrawn, Subscriber from, Revocations revocations) {
        int removed = removed(withdrawn).size();
        revocations.withdrawn(removed, withdrawn.size() - removed, () -> words(withdrawn, from));
        return removed > 0;
    }

    @Override
    public String toString() {
        return change + " " + TenantNames.display(filter.toString());
    }

    private static String words(List<Withdrawal> withdrawn, Subscriber from) {
        String whose = from.principal() == null
                ? ""
                : " of " + from.principal().realm() + ":" + from.principal().name();
        return GroupIdentifier.display(from.clientId()) + whose + ": "
                + withdrawn.stream()
                        .limit(Revocations.MOST_NAMED)
                        .map(each -> TenantNames.display(each.filter.toString()))
                        .collect(Collectors.joining(", "));
    }
}
