package io.tributary.server.advisories;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MavenVersionTest {
    @Test
    void versionsAreInTheOrderOfMaven() {
        List<String> ordered = List.of(
                "1-alpha1",
                "1-alpha2",
                "1-beta",
                "1-milestone1",
                "1.0-rc1",
                "1-SNAPSHOT",
                "1",
                "1-sp",
                "1-abc",
                "1-1",
                "1.0.1",
                "1.1.RC1",
                "1.1",
                "1.1.1",
                "1.2",
                "1.9",
                "1.10",
                "2.0.0.Alpha1",
                "2.0.0.Final",
                "4.2.9.Final",
                "4.2.10.Final");
        for (int i = 0; i < ordered.size(); i++) {
            for (int j = 0; j < ordered.size(); j++) {
                assertThat(Integer.signum(compare(ordered.get(i), ordered.get(j))))
                        .as(ordered.get(i) + " and " + ordered.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1.0",
        "1, 1.0.0",
        "1.0, 1.0.Final",
        "1-ga, 1",
        "1-cr1, 1-rc1",
        "1-a1, 1-alpha1",
        "1.0-RC1, 1-rc1",
        "0, 0.0"
    })
    void versionsThatMeanTheSameAreTheSame(String one, String other) {
        assertThat(compare(one, other)).isZero();
    }

    private static int compare(String one, String other) {
        return MavenVersion.of(one).compareTo(MavenVersion.of(other));
    }
}
