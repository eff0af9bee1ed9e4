package io.tributary.perf;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which package of the load tool may know which. */
class PackagesTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("test-classes"))
            .importPackages("io.tributary.perf");

    @Test
    void hasNoCyclesWhenPackagesAreSlices() {
        slices().matching("io.tributary.perf.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    /** It sees of a broker what a client sees. */
    @Test
    void doesNotKnowBrokerWhenItMeasuresOne() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.tributary.broker..", "io.tributary.persistence..")
                .check(CLASSES);
    }

    /** A microbenchmark is in its subject's package; what all have in common knows none of their subjects. */
    @Test
    void doesNotKnowMicrobenchmarksWhenItMeasuresLoad() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.tributary.perf.jmh")
                .and()
                .doNotHaveSimpleName("BenchCommand") // the command that runs them
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.tributary.perf.jmh", "org.openjdk.jmh..")
                .check(CLASSES);
    }

    /** What judges is of no use if what is judged can change it. */
    @Test
    void judgeKnowsNobodyWhenItCounts() {
        noClasses()
                .that()
                .resideInAPackage("io.tributary.perf.judge")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.tributary.perf.client..",
                        "io.tributary.perf.scenario..",
                        "io.tributary.perf.run..",
                        "io.tributary.perf.report..")
                .check(CLASSES);
    }
}
