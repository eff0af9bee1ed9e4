package io.tributary.broker.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.tenant.TenantReport.Line;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class TenantReportTest {
    private static final Line LINE = new Line("acme", new TenantUse(1, 2, 0, 300, 0, 0, 5));

    /** Never changed: nodes of other versions send it. */
    private static final String GOLDEN = "01" + "01" + "0461636d65" + "04" + "0202d404cd04";

    /** A later version says one thing more. */
    private static final String LATER = "01" + "01" + "0461636d65" + "05" + "0202d404cd04" + "0c";

    @Test
    void bytesStayTheSame() {
        assertThat(TenantReport.encode(List.of(LINE)))
                .singleElement()
                .satisfies(
                        report -> assertThat(HexFormat.of().formatHex(report)).isEqualTo(GOLDEN));
    }

    @Test
    void decodesWhatAnyVersionSays() {
        for (String report : List.of(GOLDEN, LATER)) {
            assertThat(TenantReport.decode(HexFormat.of().parseHex(report))).containsExactly(LINE);
        }
    }
}
