package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All Java in README.md and docs/embedding.md compiles. */
class JavaExamplesTest {
    private static final Path EMBEDDING = Path.of("..", "docs", "embedding.md");

    @TempDir
    private Path folder;

    static List<String> statements() throws IOException {
        List<String> all = new ArrayList<>(JavaExamples.of(EMBEDDING).statements());
        assertThat(all).hasSizeGreaterThanOrEqualTo(4);
        all.addAll(JavaExamples.of(Path.of("..", "README.md")).statements());
        return all;
    }

    @ParameterizedTest
    @MethodSource("statements")
    void everyExampleCompiles(String statements) throws IOException {
        try (URLClassLoader compiled =
                JavaExamples.compile(JavaExamples.of(EMBEDDING).classes(), statements, folder)) {
            assertThat(compiled).isNotNull();
        }
    }

    @Test
    void everyExtensionHasAnExample() throws IOException {
        assertThat(JavaExamples.of(EMBEDDING).classes())
                .contains(
                        "implements Authenticator ",
                        "implements EnhancedAuthenticator ",
                        "implements Authorizer ",
                        "implements PublishInterceptor ",
                        "implements SubscribeInterceptor ",
                        "implements ClientListener ");
    }
}
