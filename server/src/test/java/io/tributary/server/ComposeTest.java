package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.Program;
import io.tributary.security.password.PasswordHash;
import io.tributary.server.settings.SecuritySettings.Anonymous;
import io.tributary.server.settings.ServerConfig;
import io.tributary.server.settings.StartSettings;
import io.tributary.server.settings.UnknownVariables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.config.YamlMapFactoryBean;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;

/**
 * The files of Docker Compose: the settings that a broker has there are read as in its container, with the secrets that
 * {@code docker/secrets.sh} makes.
 */
class ComposeTest {
    private static final Path DOCKER = Path.of("../docker");
    private static final String SECRETS = "/run/tributary";
    private static final List<String> OF_LAUNCHER = List.of("TRIBUTARY_EXPECTED_CLIENTS");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void makeSecrets() throws Exception {
        makeSecrets(secrets());
    }

    private static void makeSecrets(Path place) throws Exception {
        Process script = new ProcessBuilder("bash", DOCKER.resolve("secrets.sh").toString(), place.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(script.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(script.exitValue()).as(said).isZero();
    }

    @ParameterizedTest
    @CsvSource({"compose.yaml, n1, true", "compose.yaml, n3, true", "standalone.yaml, broker, false"})
    void settingsOfEachBrokerAreAccepted(String file, String service, boolean isNode) throws IOException {
        ServerConfig config = settings(service(file, service));
        assertThat(config.cluster() != null).isEqualTo(isNode);
        assertThat(config.broker().listeners()).singleElement().satisfies(listener -> {
            assertThat(listener.tls()).isNotNull();
            assertThat(listener.proxyProtocol() != null).isEqualTo(isNode);
        });
        assertThat(config.security().anonymous()).isEqualTo(Anonymous.LOOPBACK);
        assertThat(config.security().chains()).containsOnlyKeys("mqtts");
    }

    @Test
    void firstUserHasThePasswordThatTheScriptMade() throws IOException {
        byte[] password = password(secrets());
        PasswordHash hash = hash(secrets());
        assertThat(hash.matches(password)).isTrue();
        assertThat(hash.matches(Arrays.copyOf(password, password.length - 1))).isFalse();
    }

    @Test
    void whatIsDeletedIsMadeAnewWithAllThatHangsOnIt(@TempDir Path other) throws Exception {
        Path place = other.resolve("secrets");
        makeSecrets(place);
        byte[] password = password(place);
        Files.delete(place.resolve("client/password"));
        Files.delete(place.resolve("authority/ca.crt"));
        makeSecrets(place);
        assertThat(password(place)).isNotEqualTo(password);
        assertThat(hash(place).matches(password(place))).isTrue();
        for (String name : List.of("server", "node")) {
            certificate(place, name).verify(certificate(place, "ca").getPublicKey());
        }
    }

    private static byte[] password(Path place) throws IOException {
        return Files.readString(place.resolve("client/password")).strip().getBytes(StandardCharsets.UTF_8);
    }

    private static PasswordHash hash(Path place) throws IOException {
        Map<String, Object> users = map(read(place.resolve("broker/seed.yaml")).get("users"));
        return PasswordHash.parse(String.valueOf(map(users.get("users:first")).get("passwordHash")));
    }

    private static X509Certificate certificate(Path place, String name) throws Exception {
        try (InputStream file = Files.newInputStream(place.resolve("broker/" + name + ".crt"))) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(file);
        }
    }

    @ParameterizedTest
    @CsvSource({"compose.yaml", "standalone.yaml"})
    void filesThatAreMountedAreThere(String file) {
        for (Object service : services(file).values()) {
            for (String volume : texts(map(service).get("volumes"))) {
                String source = volume.substring(0, volume.indexOf(':'));
                if (source.startsWith("./secrets")) {
                    assertThat(secrets().resolve(source.substring("./secrets/".length())))
                            .isDirectory();
                } else if (source.startsWith(".")) {
                    assertThat(DOCKER.resolve(source)).exists();
                }
            }
        }
    }

    /** The files hold what they were made with, and nobody but owner and group reads them. */
    @Test
    void secretsStayAndAreForTheGroupAlone() throws Exception {
        Path token = secrets().resolve("broker/admin.token");
        String before = Files.readString(token);
        makeSecrets();
        assertThat(Files.readString(token)).isEqualTo(before);
        assertThat(Files.getPosixFilePermissions(token))
                .extracting(Enum::name)
                .noneMatch(name -> name.startsWith("OTHERS"));
        assertThat(folder.resolve(".env")).content().matches("SECRETS_GROUP=\\d+\n");
    }

    @Test
    void seedIsWellMade() {
        int code = Program.commandLine(new SecurityCommand())
                .execute("check", secrets().resolve("broker/seed.yaml").toString());
        assertThat(code).isZero();
    }

    @Test
    void kafkaIsTheVersionThatTheTestsUse() throws IOException {
        String bom = Files.readString(Path.of("../bom/pom.xml"));
        String version = bom.replaceFirst("(?s).*<kafka.version>(.*?)</kafka.version>.*", "$1");
        assertThat(map(services("compose.yaml").get("kafka-1"))).containsEntry("image", "apache/kafka:" + version);
    }

    private static Path secrets() {
        return folder.resolve("secrets");
    }

    /** The image's own file, the file of the service, its environment: the later ones win. */
    private ServerConfig settings(Map<String, Object> service) throws IOException {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        sources.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        Map<String, Object> variables = new TreeMap<>(map(service.getOrDefault("environment", Map.of())));
        variables.keySet().removeAll(OF_LAUNCHER);
        variables.put("HOSTNAME", String.valueOf(service.get("hostname")));
        assertThat(UnknownVariables.find(variables)).isEmpty();
        sources.addLast(new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        String mounted = texts(service.get("volumes")).stream()
                .filter(volume -> volume.contains(":/etc/tributary/tributary.yaml"))
                .findFirst()
                .orElseThrow();
        sources.addLast(yaml(DOCKER.resolve(mounted.substring(0, mounted.indexOf(':')))));
        sources.addLast(yaml(DOCKER.resolve("image/etc/tributary.yaml")));
        sources.addLast(defaults());
        return StartSettings.read(environment, new String[0], List.of());
    }

    private PropertySource<?> yaml(Path file) throws IOException {
        String text = Files.readString(file)
                .replace(SECRETS, secrets().resolve("broker").toString());
        return new YamlPropertySourceLoader()
                .load(file.toString(), new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                .getFirst();
    }

    private static PropertySource<?> defaults() throws IOException {
        Properties defaults = new Properties();
        try (InputStream file = ComposeTest.class.getResourceAsStream("/tributary-defaults.properties")) {
            defaults.load(file);
        }
        Map<String, Object> values = new TreeMap<>();
        defaults.forEach((name, value) -> values.put(name.toString(), value));
        return new MapPropertySource("defaultProperties", values);
    }

    private static Map<String, Object> services(String file) {
        return map(read(DOCKER.resolve(file)).get("services"));
    }

    private static Map<String, Object> read(Path file) {
        YamlMapFactoryBean yaml = new YamlMapFactoryBean();
        yaml.setResources(new FileSystemResource(file));
        return map(yaml.getObject());
    }

    private static Map<String, Object> service(String file, String name) {
        return map(services(file).get(name));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(@Nullable Object value) {
        return (Map<String, Object>) Objects.requireNonNull(value);
    }

    @SuppressWarnings("unchecked")
    private static List<String> texts(@Nullable Object value) {
        return value == null ? List.of() : (List<String>) value;
    }
}
