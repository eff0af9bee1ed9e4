package io.tributary.broker.subscription;

import io.tributary.perf.jmh.Microbenchmark;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * A look-up in the trie alone. Five levels, one of 65,536 topics after the other, so that not all is in the processor's
 * cache.
 */
public class TrieMatchBenchmark extends Microbenchmark {
    private static final int TOPICS = 1 << 16;

    /** How many filters there are. */
    @Param({"100000", "1000000"})
    public int filters;

    /** Which of them have wildcards. */
    @Param({"EXACT", "PLUS", "MIXED"})
    public String mix = "";

    private SubscriptionTrie<Subscriber, Subscriber> trie;
    private String[] topics;
    private int next;

    /** Fills the trie. */
    @Setup
    public void prepare() {
        trie = new SubscriptionTrie<>();
        Fleet.valueOf(mix).forEach(filters, (subscriber, filter) -> trie.put(filter, subscriber, subscriber));
        topics = Fleet.topics(TOPICS, filters);
    }

    /** One topic. */
    @Benchmark
    public List<Map<Subscriber, Subscriber>> match() {
        return trie.match(topics[next++ & (TOPICS - 1)]);
    }
}
