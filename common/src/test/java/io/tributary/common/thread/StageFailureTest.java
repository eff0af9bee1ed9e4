package io.tributary.common.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class StageFailureTest {
    @Test
    void causeIsWhatStagesHavePutSomethingAround() {
        IllegalStateException cause = new IllegalStateException("no");
        assertThat(StageFailure.cause(cause)).isSameAs(cause);
        assertThat(StageFailure.cause(new CompletionException(cause))).isSameAs(cause);
        assertThat(StageFailure.cause(new CompletionException(new CompletionException(cause))))
                .isSameAs(cause);
    }
}
