package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.subscription.Withdrawal.Change;
import io.tributary.common.event.TenantNames;
import io.tributary.common.topic.TopicFilter;
import org.junit.jupiter.api.Test;

class WithdrawalTextTest {
    /** They are in lines of the log. */
    @Test
    void filterForgesNoLine() {
        TopicFilter filter = TenantNames.filter("acme", TopicFilter.parse("$share/g/a\n/#"));
        assertThat(new Withdrawal(Change.REMOVED, filter)).hasToString("REMOVED $share/g/a?/# (tenant acme)");
    }
}
