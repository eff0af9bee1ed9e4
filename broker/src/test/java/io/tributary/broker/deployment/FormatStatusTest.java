package io.tributary.broker.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.deployment.FormatStatus.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FormatStatusTest {
    private static final String HERE = "tributary 2";

    @Test
    void nodesOnHoldAreThoseOfThisVersionThatLetOthersWriteLess() {
        assertThat(of(node("a", HERE, 3), node("b", HERE, 2), node("c", "tributary 1", 2), node("d", null, 2))
                        .heldBy())
                .containsExactly("b");
        assertThat(of(node("a", HERE, 2), node("b", HERE, 3)).heldBy()).containsExactly("a");
    }

    @Test
    void upgradeCannotBeFinishedWhileANodeRunsAnotherVersionOrHasNotSaidWhich() {
        assertThat(of(node("a", HERE, 3), node("b", HERE, 2)).obstacle()).isNull();
        assertThat(of(node("a", HERE, 3), node("b", "tributary 1", 2)).obstacle())
                .isEqualTo("node b runs tributary 1, and this one tributary 2: upgrade all nodes first");
        assertThat(of(node("a", HERE, 3), node("b", null, 2)).obstacle()).contains("node b has not said lately");
    }

    private static FormatStatus of(Node... nodes) {
        return new FormatStatus(2, 3, List.of(nodes));
    }

    private static Node node(String name, @Nullable String version, int upTo) {
        return new Node(name, version, upTo);
    }
}
