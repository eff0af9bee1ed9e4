package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.fold.Samples;
import io.tributary.broker.shard.fold.SessionState;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaitingMembersTest {
    private static final String GROUP = "$share/g/a";
    private static final String OTHER = "$share/h/a";

    private final WaitingMembers waiting = new WaitingMembers();
    private final SessionState a = Samples.session("a", 1);
    private final SessionState b = Samples.session("b", 2);

    @Test
    void sessionsAreReadyWhenAMemberIsOnline() {
        waiting.add(a, GROUP);
        waiting.add(b, OTHER);
        assertThat(waiting.ready(0, _ -> false)).isEmpty();
        assertThat(waiting.ready(0, GROUP::equals)).containsExactly(a);
        assertThat(waiting.ready(0, _ -> true)).containsExactlyInAnyOrder(a, b);
    }

    @Test
    void sessionIsReadyOnceWhenItWaitsForSeveral() {
        waiting.add(a, GROUP);
        waiting.add(a, OTHER);
        assertThat(waiting.ready(0, _ -> true)).containsExactly(a);
        waiting.remove(a);
        assertThat(waiting.ready(0, _ -> true)).isEmpty();
    }

    @Test
    void sessionOfWhichNothingIsKnownIsReadyAtOnce() {
        waiting.addUnknown(a);
        assertThat(waiting.ready(0, _ -> false)).containsExactly(a);
        waiting.remove(a);
        assertThat(waiting.ready(0, _ -> false)).isEmpty();
    }

    @Test
    void attemptsGetRareWhenTheyAreInVain() {
        waiting.addInVain(a, GROUP, 0);
        assertThat(waiting.ready(999, _ -> true)).isEmpty();
        assertThat(waiting.ready(1000, _ -> true)).containsExactly(a);
        waiting.addInVain(a, GROUP, 1000);
        assertThat(waiting.ready(2999, _ -> true)).isEmpty();
        assertThat(waiting.ready(3000, _ -> true)).containsExactly(a);
        waiting.moved(GROUP);
        assertThat(waiting.ready(1000, _ -> true)).containsExactly(a);
    }

    @Test
    void manySessionsTakeTurns() {
        List<SessionState> many = IntStream.range(0, 250)
                .mapToObj(i -> Samples.session("c" + i, i))
                .toList();
        many.forEach(client -> waiting.add(client, GROUP));
        int rounds = 0;
        List<SessionState> ready = waiting.ready(0, _ -> true);
        while (!ready.isEmpty()) {
            assertThat(ready).hasSizeLessThanOrEqualTo(100);
            ready.forEach(waiting::remove);
            rounds++;
            ready = waiting.ready(0, _ -> true);
        }
        assertThat(rounds).isEqualTo(3);
    }
}
