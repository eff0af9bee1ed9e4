package io.tributary.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.tls.OpenSslAuthority;
import io.tributary.server.settings.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The broker takes each {@code tributary.yaml} that the chart renders, with the files that its Secrets would bring. */
@DisabledOnOs(OS.WINDOWS)
class ChartSettingsTest {
    private static final String MOUNTS = "/etc/tributary";
    private static final Pattern FILE = Pattern.compile(MOUNTS + "/(?:secrets|mounts)/[\\w./-]+");

    @TempDir
    private static Path folder;

    private static OpenSslAuthority authority;
    private static OpenSslAuthority.Issued server;

    @BeforeAll
    static void makeCertificates() {
        authority = OpenSslAuthority.in(folder, "authority");
        server = authority.server("server");
    }

    @TestFactory
    Stream<DynamicTest> renderedSettingsAreAccepted() throws Exception {
        List<String> documents =
                List.of(Files.readString(Path.of("..", "helm", "settings.yaml")).split("---\n"));
        assertThat(documents).hasSizeGreaterThan(20);
        return documents.stream()
                .skip(1)
                .map(document -> DynamicTest.dynamicTest(name(document), () -> isAccepted(document)));
    }

    private static String name(String document) {
        return document.lines().findFirst().orElseThrow().replace("# ", "");
    }

    private static void isAccepted(String document) throws IOException {
        Path home = Files.createTempDirectory(folder, "pod");
        for (MatchResult file : FILE.matcher(document).results().toList()) {
            make(Path.of(file.group().replace(MOUNTS, home.toString())));
        }
        String settings = document.replace(MOUNTS, home.toString())
                .replace("${HOSTNAME}", "mqtt-tributary-0")
                .replace("${POD_IP}", "10.0.0.1")
                .replace("${NODE_NAME}", "machine-1")
                .replace("/var/lib/tributary", home.toString());
        Files.writeString(home.resolve("tributary.yaml"), settings);
        ServerConfig config =
                Applications.serverConfig("--spring.config.additional-location=file:" + home + "/", "--server.port=0");
        assertThat(config.broker().listeners()).isNotEmpty();
    }

    /** What a Secret has under this key. */
    private static void make(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        byte[] content = switch (file.getFileName().toString()) {
            case "tls.crt" -> Files.readAllBytes(server.certificate());
            case "tls.key" -> Files.readAllBytes(server.key());
            case "ca.crt" -> Files.readAllBytes(authority.certificate());
            case "seed.yaml" -> "users: {}\n".getBytes(UTF_8);
            case "token" -> "admin:0123456789abcdef0123456789abcdef0123456789abcdef\n".getBytes(UTF_8);
            default -> "0123456789abcdef0123456789abcdef\n".getBytes(UTF_8);
        };
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    }
}
