package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.Test;

class CompactMapTest {

    @Test
    void staysImmutableWhileThereIsOneEntry() {
        Map<String, Integer> one = CompactMap.with(CompactMap.with(Map.of(), "a", 1), "a", 2);

        assertThat(one).isNotInstanceOf(ConcurrentMap.class).containsExactly(Map.entry("a", 2));
    }

    @Test
    void growsAndShrinksAgain() {
        Map<String, Integer> two = CompactMap.with(CompactMap.with(Map.of(), "a", 1), "b", 2);
        assertThat(two).isInstanceOf(ConcurrentMap.class).hasSize(2);
        assertThat(CompactMap.with(two, "c", 3)).isSameAs(two);
        assertThat(CompactMap.without(two, "c")).isSameAs(two);

        Map<String, Integer> one = CompactMap.without(two, "a");

        assertThat(one).isNotInstanceOf(ConcurrentMap.class).containsExactly(Map.entry("b", 2));
        assertThat(CompactMap.without(one, "x")).isSameAs(one);
        assertThat(CompactMap.without(one, "b")).isEmpty();
    }
}
