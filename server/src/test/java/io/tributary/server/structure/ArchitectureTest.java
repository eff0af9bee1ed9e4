package io.tributary.server.structure;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.tributary.broker.tls.TlsContexts;
import io.tributary.cluster.kafka.app.KafkaAppTopics;
import io.tributary.cluster.node.ClusterNode;
import io.tributary.common.time.SteadyClock;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Scanner;
import java.util.Timer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which package may know which. A new arrow is a decision: before adding one here, think whether the lower package can
 * own an interface instead.
 */
class ArchitectureTest {
    private static final String ROOT = "io.tributary.";
    private static final List<Path> SOURCES = Stream.of(
                    "common", "persistence", "broker", "security", "cluster", "server")
            .map(module -> Path.of("..", module, "src/main/java"))
            .toList();

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("test-classes") && !location.contains("-tests.jar"))
            .importPackages(
                    "io.tributary.common",
                    "io.tributary.persistence",
                    "io.tributary.broker",
                    "io.tributary.security",
                    "io.tributary.cluster",
                    "io.tributary.server");

    @Test
    void hasNoCyclesWhenPackagesAreSlices() {
        slices().matching("io.tributary.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    /** Columns: a package, and all those of ours that it may know besides itself and those of `common`. */
    @ParameterizedTest
    @CsvSource({
        "persistence.shard, ''",
        "persistence.replicated, ''",
        "persistence.app, persistence.shard",
        "persistence.limit, ''",
        "persistence.ingest, ''",
        "persistence.audit, ''",
        "persistence.rocksdb, persistence.shard persistence.replicated persistence.app persistence.limit persistence.audit",
        "broker.security, ''",
        "broker.security.rules, broker.security",
        "broker.security.store, broker.security broker.security.rules persistence.replicated persistence.audit",
        "broker.extension, broker.security",
        "broker.guard, broker.loop broker.security.rules",
        "broker.delivery, ''",
        "broker.subscription, broker.security persistence.replicated",
        "broker.tenant, broker.security.store",
        "broker.retained, broker.tenant broker.security.store persistence.replicated",
        "broker.shard.fold, persistence.shard",
        "broker.shard, broker.shard.fold broker.delivery persistence.shard persistence.app persistence.limit",
        "broker.routing,"
                + " broker.subscription broker.retained broker.security broker.delivery broker.extension persistence.shard"
                + " persistence.limit",
        "broker.group, broker.subscription broker.delivery broker.routing broker.shard",
        "broker.sys, broker.routing broker.retained",
        "broker.relocation, broker.sys",
        "broker.canary, broker.connection broker.delivery broker.loop broker.security",
        "broker.loop, ''",
        "broker.embedded, broker.delivery broker.subscription broker.retained",
        "broker.connection,"
                + " broker.guard broker.loop broker.routing broker.subscription broker.retained broker.security broker.extension"
                + " broker.security.store broker.tenant broker.delivery broker.shard persistence.shard"
                + " persistence.limit",
        "broker.tls, ''",
        "broker.network, broker.guard broker.loop broker.connection broker.security broker.security.rules broker.tls",
        "broker.deployment, broker.delivery broker.routing broker.shard broker.subscription broker.sys broker.security.store"
                + " persistence.shard persistence.replicated persistence.app persistence.audit",
        "security.., broker.security broker.security.rules broker.security.store",
        "cluster.secret, ''",
        "cluster.kafka, persistence.shard persistence.limit persistence.audit cluster.secret",
        "cluster.kafka.audit, cluster.kafka persistence.audit",
        "cluster.kafka.shard, cluster.kafka persistence.shard",
        "cluster.kafka.layout, cluster.kafka",
        "cluster.kafka.map, cluster.kafka persistence.shard persistence.replicated persistence.limit",
        "cluster.kafka.app, cluster.kafka persistence.shard persistence.app persistence.limit persistence.ingest",
        "cluster.kafka.ingest, cluster.kafka persistence.ingest",
        "cluster.redis, persistence.shard",
        "cluster.reshard, broker.shard broker.shard.fold persistence.shard cluster cluster.kafka cluster.kafka.layout"
                + " cluster.kafka.shard cluster.kafka.ingest cluster.node cluster.redis cluster.ingest persistence.ingest",
        "cluster.link, broker.tls cluster.secret",
        "cluster.node, broker.delivery broker.deployment broker.security.store broker.shard cluster.link"
                + " persistence.replicated persistence.limit",
        "cluster.ingest, broker.routing broker.delivery persistence.ingest",
        "cluster.metrics, broker.metrics broker.tls cluster.ingest cluster.kafka cluster.link cluster.node cluster.redis",
    })
    void knowsOnlyLowerPackagesWhenArrowsAreFollowed(String subject, String allowed) {
        String[] known = Stream.concat(
                        Stream.of(subject),
                        Arrays.stream(allowed.split(" ", -1)).filter(name -> !name.isEmpty()))
                .map(name -> ROOT + name)
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(ROOT + subject)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "io.tributary.persistence..", "io.tributary.broker..", "io.tributary.cluster..")
                        .and(not(resideInAnyPackage(known))))
                .check(CLASSES);
    }

    /** Values and collections are all that the fold may know: no I/O, no clock, no threads, no loggers. */
    private static ArchRule isPure(String subject) {
        DescribedPredicate<JavaClass> ofJava = resideInAnyPackage(
                        "java.lang",
                        "java.lang.invoke",
                        "java.lang.runtime",
                        "java.util",
                        "java.util.function",
                        "java.util.stream")
                .and(not(belongToAnyOf(
                        Thread.class,
                        ThreadLocal.class,
                        System.class,
                        Runtime.class,
                        Process.class,
                        ProcessBuilder.class,
                        Timer.class,
                        Random.class,
                        Scanner.class)))
                .and(not(simpleNameEndingWith("Supplier"))); // of the time, as a rule
        DescribedPredicate<JavaClass> ofOurs = resideInAnyPackage(
                        ROOT + subject, ROOT + "common.event", ROOT + "common.mqtt", ROOT + "common.collection")
                .or(belongToAnyOf(SavePoint.class, LogRecord.class, ShardStore.Claim.class, ShardStore.Reused.class));
        return classes()
                .that()
                .resideInAPackage(ROOT + subject)
                .should()
                .onlyDependOnClassesThat(ofOurs.or(ofJava).or(resideInAPackage("org.jspecify..")));
    }

    @Test
    void isPureWhenItIsTheFold() {
        isPure("broker.shard.fold").check(CLASSES);
    }

    /** The owner's package has what the fold must not have: the rule finds all of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.concurrent.Executor",
                "java.util.concurrent.CompletionStage",
                "java.util.function.LongSupplier",
                "java.lang.Thread",
                "org.slf4j.Logger",
                "io.tributary.persistence.shard.ShardLog",
                "io.tributary.persistence.app.AppTopics"
            })
    void isNotPureWhenItIsTheOwner(String dependency) {
        assertThat(isPure("broker.shard").evaluate(CLASSES).getFailureReport().toString())
                .contains("<" + dependency + ">");
    }

    /** Columns: a library, and the packages that may know it. */
    @ParameterizedTest
    @CsvSource({
        "org.springframework.., io.tributary.server..",
        "io.lettuce.., io.tributary.cluster.redis",
        "org.rocksdb.., io.tributary.persistence.rocksdb",
        "org.apache.kafka.., io.tributary.cluster.kafka..",
        "io.micrometer.., io.tributary.broker.metrics io.tributary.cluster.metrics io.tributary.server..",
        "io.netty.., io.tributary.common.codec io.tributary.broker.network io.tributary.broker.connection"
                + " io.tributary.broker.loop io.tributary.cluster.link io.tributary.broker.metrics"
                + " io.tributary.broker.tls io.tributary.broker.canary io.tributary.server.training"
                + " io.tributary.cluster.redis",
        "io.netty.channel.., io.tributary.broker.network io.tributary.cluster.link",
        "jakarta.., io.tributary.server..",
        "com.google.re2j.., io.tributary.broker.security",
        "com.nimbusds.., io.tributary.security.jwt io.tributary.security.http",
        "com.ongres.., io.tributary.security.scram",
        "com.unboundid.., io.tributary.security.ldap",
        "org.bouncycastle.., io.tributary.security.password",
        "org.yaml.., io.tributary.security.file",
        "org.jctools.., io.tributary.broker.loop io.tributary.broker.delivery io.tributary.cluster.link",
    })
    void confinesLibraryWhenOnlyOnePartNeedsIt(String library, String users) {
        noClasses()
                .that()
                .resideOutsideOfPackages(users.split(" ", -1))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(CLASSES);
    }

    /** A machine's clock may be wrong, and may jump: {@code SteadyClock} is the time of all that expires. */
    @Test
    void readsNoWallClockWhenAnythingDependsOnIt() {
        noClasses()
                .that(not(belongToAnyOf(
                        SteadyClock.class,
                        ClusterNode.class, // whether another process of its name is up, and the number of this one
                        KafkaAppTopics.class, // for those who read the topic
                        TlsContexts.class))) // certificates hold by the wall clock
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(InstantSource.class, "system")
                .orShould()
                .callMethod(Instant.class, "now")
                .check(CLASSES);
    }

    @Test
    void isOnTopWhenItIsTheSpringApplication() {
        noClasses()
                .that(resideOutsideOfPackage("io.tributary.server.."))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.tributary.server..")
                .check(CLASSES);
    }

    @Test
    void hasNoImplementationSuffixWhenNamed() {
        classes().should().haveNameNotMatching(".*(Impl|Util|Utils|Helper)").check(CLASSES);
    }

    @Test
    void saysWhatItIsWhenPackage() throws IOException {
        List<Path> silent = new ArrayList<>();
        for (Path folder : sourceFolders()) {
            Path info = folder.resolve("package-info.java");
            if (!Files.exists(info) || !Files.readString(info).contains("@NullMarked")) {
                silent.add(folder);
            }
        }
        assertThat(silent)
                .as("packages without a package-info that says @NullMarked")
                .isEmpty();
    }

    @Test
    void saysWhatItIsWhenPublicType() throws IOException {
        // A public top-level type, and what stands between it and the end of the comment above.
        Pattern publicType = Pattern.compile(
                "(?m)^public (?:(?:final|abstract|sealed|non-sealed|strictfp) )*(?:class|interface|record|enum|@interface) \\w+");
        Pattern sentence = Pattern.compile(
                "/\\*\\*(?:(?!\\*/)[\\s\\S])*[A-Za-z](?:(?!\\*/)[\\s\\S])*\\*/\\s*(?:@[^\\n]*\\n|//[^\\n]*\\n|\\s)*$");
        List<Path> silent = new ArrayList<>();
        for (Path file : sourceFiles()) {
            String text = Files.readString(file);
            var type = publicType.matcher(text);
            if (type.find()
                    && !sentence.matcher(text.substring(0, type.start())).find()) {
                silent.add(file);
            }
        }
        assertThat(silent).as("public types without a sentence").isEmpty();
    }

    private static List<Path> sourceFolders() throws IOException {
        return sourceFiles().stream().map(Path::getParent).distinct().toList();
    }

    private static List<Path> sourceFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path root : SOURCES) {
            try (Stream<Path> tree = Files.walk(root)) {
                tree.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
            }
        }
        assertThat(files).hasSizeGreaterThan(100);
        return files;
    }
}
