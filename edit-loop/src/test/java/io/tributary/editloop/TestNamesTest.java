package io.tributary.editloop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.editloop.TestNames.TestClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TestNamesTest {
    @TempDir
    private Path root;

    private TestNames names;

    @BeforeEach
    void writeTests() throws IOException {
        Workspace workspace = new SmallProject(root).workspace();
        for (String source : List.of(
                "lower/a/TopicNameTest", "lower/a/TopicFixture", "upper/b/TopicFilterTest", "upper/b/CrashTest")) {
            Path file = root.resolve(source.replaceFirst("/", "/src/test/java/") + ".java");
            Files.createDirectories(file.getParent());
            Files.writeString(file, "");
        }
        names = new TestNames(workspace.modules());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CrashTest | b.CrashTest",
                "b.CrashTest | b.CrashTest",
                "upper/src/test/java/b/CrashTest.java | b.CrashTest",
                "Topic* | a.TopicNameTest b.TopicFilterTest",
                "Topic????Test | a.TopicNameTest",
                "CrashTest,TopicNameTest | b.CrashTest a.TopicNameTest",
                "CrashTest#loses* | b.CrashTest#loses*",
            })
    void findsWhenNamed(String name, String found) {
        assertThat(names.find(List.of(name)).stream()
                        .map(test -> test.name() + (test.methods().isEmpty() ? "" : "#" + test.methods())))
                .containsExactlyInAnyOrder(found.split(" ", -1));
    }

    @Test
    void knowsModuleWhenFound() {
        assertThat(names.find(List.of("Topic*")).stream().map(TestClass::module).map(Module::name))
                .containsExactlyInAnyOrder("lower", "upper");
    }

    @ParameterizedTest
    @CsvSource({"TopicNmeTest, TopicNameTest", "Crash, CrashTest", "topicnametest, TopicNameTest"})
    void tellsNearestNameWhenThereIsNone(String name, String nearest) {
        assertThatThrownBy(() -> names.find(List.of(name)))
                .isInstanceOf(LoopException.class)
                .hasMessageContaining("'" + name + "'")
                .hasMessageContaining("near names: " + nearest);
    }

    @Test
    void refusesWhenPatternMatchesNothing() {
        assertThatThrownBy(() -> names.find(List.of("CrashTest", "Nothing*"))).hasMessageContaining("'Nothing*'");
    }
}
