package io.tributary.perf.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTest {

    @Test
    void countsReceiversWhenFiltersHaveWildcards() {
        Plan plan = plan("""
                groups:
                  - {name: one, count: 4, subscribe: [{filter: "a/{n}/+"}]}
                  - {name: all, count: 2, subscribe: [{filter: "a/#"}, {filter: "a/0/data"}]}
                  - {name: none, count: 3, subscribe: [{filter: "b/#"}]}
                  - {name: pub, count: 4, publish: {topic: "a/{n}/data", window: 1}}
                """, Share.ALL);
        assertThat(plan.fanOut()).containsExactly(3, 3, 3, 3);
    }

    @Test
    void countsSharedSubscriptionOnceWhenItHasSeveralMembers() {
        Plan plan = plan("""
                groups:
                  - {name: members, count: 5, subscribe: [{filter: "$share/g/t/#"}]}
                  - {name: pub, count: 2, publish: {topic: "t/{n}/{t}", topics: 3, window: 1}}
                """, Share.ALL);
        assertThat(plan.fanOut()).containsExactly(1, 1, 1, 1, 1, 1);
    }

    @Test
    void countsAnswersWhenReceiversReply() {
        Plan plan = plan("""
                mqtt: {version: 5}
                groups:
                  - name: requesters
                    count: 2
                    subscribe: [{filter: "answers/{n}"}]
                    publish: {topic: requests, window: 1, response-topic: "answers/{n}"}
                  - {name: servers, count: 1, reply: true, subscribe: [{filter: requests}]}
                """, Share.ALL);
        assertThat(plan.fanOut()).containsExactly(2, 2);
    }

    @Test
    void hasEachClientOnceWhenSplit() {
        String yaml = """
                groups:
                  - {name: members, count: 5, subscribe: [{filter: "$share/g/t/#"}]}
                  - {name: sub, count: 7, subscribe: [{filter: "t/{n}"}]}
                  - {name: pub, count: 7, publish: {topic: "t/{n}", window: 1}}
                """;
        Plan whole = plan(yaml, Share.ALL);
        for (Group group : whole.scenario().groups()) {
            assertThat(IntStream.range(0, 3)
                            .mapToObj(runner -> plan(yaml, new Share(runner, 3)))
                            .flatMap(part -> part.clients(group).stream()))
                    .containsExactlyInAnyOrderElementsOf(whole.clients(group));
        }
        Plan first = plan(yaml, new Share(0, 3));
        assertThat(first.clients(first.scenario().groups().getFirst()))
                .as("members of a shared subscription stay together")
                .hasSize(5);
        assertThat(first.fanOut()).isEqualTo(whole.fanOut());
    }

    @Test
    void refusesWhenSubscriptionsOfGroupAreSharedInPart() {
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> plan(
                        "groups: [{name: a, count: 1, subscribe: [{filter: $share/g/x}, {filter: y}]}]", Share.ALL))
                .withMessageContaining("all of its subscriptions are shared, or none");
    }

    @Test
    void refusesWhenNoDeliveryWouldOpenTheWindowOfPublisher() {
        String yaml = """
                groups:
                  - {name: sub, count: 1, subscribe: [{filter: t}]}
                  - {name: pub, count: 2, publish: {topic: t, qos: 0, window: 1}}
                """;
        plan(yaml, Share.ALL);
        plan(yaml, new Share(0, 2)); // the subscriber is here
        plan(yaml.replace("qos: 0", "qos: 1"), new Share(1, 2));
        plan(yaml.replace("window: 1", "rate: 1"), new Share(1, 2));
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> plan(yaml, new Share(1, 2)))
                .withMessageContaining("group pub publishes QoS 0 with a window")
                .withMessageContaining("with 2 runners");
    }

    private static Plan plan(String yaml, Share share) {
        return new Plan(
                ScenarioFile.of("test", yaml).runs(Map.of(), null).getFirst().scenario(), 1, share);
    }
}
