package io.tributary.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RevocationsTest {
    private final Revocations revocations = new Revocations(OnRevocation.REMOVE, (_, _) -> {});

    /** They are in a line of the log when the audit log cannot be told. */
    @Test
    void namesOfClientsForgeNoLines() {
        revocations.withdrawn(1, 0, () -> "meter-1\n2026-11-30 ERROR of devices:ann: news/#");
        assertThat(revocations.take().subscriptions())
                .containsExactly("meter-1?2026-11-30 ERROR of devices:ann: news/#");
    }
}
