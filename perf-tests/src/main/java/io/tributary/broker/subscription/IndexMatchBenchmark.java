package io.tributary.broker.subscription;

import io.tributary.broker.security.Authorizer;
import io.tributary.perf.jmh.Microbenchmark;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * What a PUBLISH costs in matching: exact filters, the trie, shared subscriptions, routes to other nodes, and the
 * merging of what was found, with the cache in front of them and without.
 */
public class IndexMatchBenchmark extends Microbenchmark {
    private static final int TOPICS = 1 << 12;

    /** How many filters there are. */
    @Param({"100000", "1000000"})
    public int filters;

    /** Which of them have wildcards. */
    @Param({"EXACT", "PLUS", "MIXED"})
    public String mix = "";

    /** How many topics the cache has room for; 0 for no cache. The 4,096 topics that are looked up fit in. */
    @Param({"0", "65536"})
    public int cachedTopics;

    private SubscriptionIndex index;
    private String[] topics;
    private int next;

    /** Fills the index. */
    @Setup
    public void prepare() {
        SharedGroups groups = new SharedGroups(SharedChoice.DEFAULT, _ -> 0, Routes.NONE);
        index = new SubscriptionIndex(
                groups,
                new SharedGroups(SharedChoice.DEFAULT, _ -> 0, Routes.NONE),
                cachedTopics,
                Authorizer.allowAll(),
                new SubscriptionBudget(Long.MAX_VALUE, System::nanoTime));
        Fleet.valueOf(mix)
                .forEach(
                        filters,
                        (subscriber, filter) -> index.update(
                                subscriber, Map.of(), Fleet.request(filter), Fleet.packed(subscriber, filter)));
        topics = Fleet.topics(TOPICS, filters);
    }

    /** One topic. */
    @Benchmark
    public Matches match() {
        return index.match(topics[next++ & (TOPICS - 1)]);
    }
}
