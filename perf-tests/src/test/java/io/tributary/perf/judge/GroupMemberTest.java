package io.tributary.perf.judge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GroupMemberTest {
    private final SharedLedger group = new SharedLedger();
    private final GroupMember one = new GroupMember(group);
    private final GroupMember other = new GroupMember(group);
    private final Tally tally = new Tally();

    @Test
    void countsNothingBadWhenMembersTakeTurnsInAnyOrder() {
        other.onMessage(0, 2, false, tally);
        one.onMessage(0, 1, false, tally);
        one.onMessage(0, 4, false, tally);
        other.onMessage(0, 3, false, tally);
        assertThat(tally.counts().get(Count.FIRST)).isEqualTo(4);
        assertThat(tally.counts().get(Count.OUT_OF_ORDER)).isZero();
        assertThat(tally.counts().get(Count.DUPLICATE)).isZero();
    }

    @Test
    void countsDuplicateWhenTwoMembersGetSameMessage() {
        one.onMessage(0, 1, false, tally);
        other.onMessage(0, 1, true, tally);
        assertThat(tally.counts().get(Count.FIRST)).isEqualTo(1);
        assertThat(tally.counts().get(Count.DUPLICATE)).isEqualTo(1);
        assertThat(tally.counts().get(Count.DUPLICATE_FLAGGED)).isEqualTo(1);
    }

    @Test
    void countsOutOfOrderWhenOneMemberGetsLaterMessageFirst() {
        one.onMessage(0, 3, false, tally);
        one.onMessage(0, 1, false, tally);
        assertThat(tally.counts().get(Count.OUT_OF_ORDER)).isEqualTo(1);
    }
}
