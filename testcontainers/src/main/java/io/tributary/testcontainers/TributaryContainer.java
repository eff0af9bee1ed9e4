package io.tributary.testcontainers;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * A broker of its own for a test: standalone, with nothing in it, and ready once {@link #start} returns.
 *
 * <pre>{@code
 * try (TributaryContainer broker = new TributaryContainer().withUser("alice", "secret")) {
 *     broker.start();
 *     MqttClient client = new MqttClient(broker.brokerUrl(), "test"); // Paho's
 *     // HiveMQ's takes broker.getHost() and broker.mqttPort()
 * }
 * }</pre>
 *
 * <p>Without users everybody may connect, and do everything. What is said with {@code with...} counts from the next
 * start on. Not thread-safe.
 */
public final class TributaryContainer extends GenericContainer<TributaryContainer> {
    /** The name that docs/docker.md gives the image. */
    public static final DockerImageName IMAGE = DockerImageName.parse("tributary");

    private static final int MQTT = 1883;
    private static final int MQTT_OVER_TLS = 8883;
    private static final int MQTT_OVER_WEB_SOCKET = 8083;
    private static final int HTTP = 9093;
    private static final String FOLDER = "/etc/tributary/";

    /** For the group of files that Docker copies, which is root's: a key that others can read is refused. */
    private static final String USER = "10001:0";

    private static final int OF_OWNER_AND_GROUP = 0440;
    private static final Duration LONGEST_START = Duration.ofMinutes(1);

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<String> users = new ArrayList<>();
    private @Nullable String certificate;
    private @Nullable String key;

    /** One of the image {@link #IMAGE}. */
    public TributaryContainer() {
        this(IMAGE);
    }

    /**
     * One of another image, such as that of a registry of your own.
     *
     * @throws IllegalStateException when it is another program's: {@code asCompatibleSubstituteFor(IMAGE)} says that
     *     it is not
     */
    public TributaryContainer(DockerImageName image) {
        super(image);
        image.assertCompatibleWith(IMAGE);
        addExposedPorts(MQTT, MQTT_OVER_WEB_SOCKET, HTTP);
        waitingFor(Wait.forHttp("/actuator/health/readiness")
                .forPort(HTTP)
                .forStatusCode(200)
                .withStartupTimeout(LONGEST_START));
        withCreateContainerCmdModifier(command -> command.withUser(USER));
    }

    /**
     * Adds a user. Who has no name and password of a user may not connect any more.
     *
     * @param name without {@code :} and control characters
     * @param password as it is; the container gets a hash
     * @throws IllegalArgumentException when the name is empty or has such a character
     */
    public TributaryContainer withUser(String name, String password) {
        if (name.isEmpty() || name.chars().anyMatch(c -> c == ':' || Character.isISOControl(c))) {
            throw new IllegalArgumentException(
                    "a user's name must not be empty, and have no colon and no control character");
        }
        users.add(MosquittoHash.line(name, password));
        return this;
    }

    /**
     * Adds MQTT over TLS; the other ports stay.
     *
     * @param certificateChain in PEM, the server's own first; for the name that {@link #getHost} gives
     * @param privateKey in PEM, PKCS 8, without a password
     */
    public TributaryContainer withTls(String certificateChain, String privateKey) {
        certificate = certificateChain;
        key = privateKey;
        addExposedPort(MQTT_OVER_TLS);
        return this;
    }

    /**
     * A setting of docs/configuration.md. What the container has set itself can be replaced, too.
     *
     * @param name such as {@code tributary.limits.connect.max-session-expiry}
     */
    public TributaryContainer withSetting(String name, String value) {
        settings.put(name, value);
        return this;
    }

    @Override
    protected void configure() {
        if (!users.isEmpty()) {
            withCopyToContainer(file(String.join("\n", users) + "\n"), FOLDER + "users");
        }
        if (certificate != null && key != null) {
            withCopyToContainer(file(certificate), FOLDER + "tls.crt");
            withCopyToContainer(file(key), FOLDER + "tls.key");
        }
        withCopyToContainer(file(properties()), FOLDER + "tributary.properties");
    }

    private static Transferable file(String content) {
        return Transferable.of(content.getBytes(StandardCharsets.UTF_8), OF_OWNER_AND_GROUP);
    }

    /** The settings, as a file that the broker reads. */
    String properties() {
        Properties all = new Properties();
        all.setProperty("server.address", "0.0.0.0");
        listener(all, "tcp", MQTT);
        listener(all, "ws", MQTT_OVER_WEB_SOCKET);
        if (certificate != null) {
            listener(all, "tls", MQTT_OVER_TLS);
            all.setProperty("tributary.listeners.tls.tls.certificate", FOLDER + "tls.crt");
            all.setProperty("tributary.listeners.tls.tls.private-key", FOLDER + "tls.key");
        }
        if (users.isEmpty()) {
            all.setProperty("tributary.security.anonymous", "always");
        } else {
            all.setProperty("tributary.security.authenticators.users.kind", "file");
            all.setProperty("tributary.security.authenticators.users.file", FOLDER + "users");
        }
        all.putAll(settings);
        StringWriter text = new StringWriter();
        try {
            all.store(text, null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private void listener(Properties all, String name, int port) {
        String prefix = "tributary.listeners." + name + ".";
        all.setProperty(prefix + "host", "0.0.0.0");
        all.setProperty(prefix + "port", Integer.toString(port));
        if (!users.isEmpty()) {
            all.setProperty(prefix + "authentication", "users");
        }
    }

    @Override
    protected void containerIsStarted(InspectContainerResponse container) {
        logger().info("MQTT at {}, HTTP at {}", brokerUrl(), httpUrl());
    }

    /** Where MQTT is, as {@code tcp://HOST:PORT}; only while the container runs, as all the following. */
    public String brokerUrl() {
        return "tcp://" + getHost() + ":" + mqttPort();
    }

    /** The port of {@link #brokerUrl}, on {@link #getHost}. */
    public int mqttPort() {
        return getMappedPort(MQTT);
    }

    /**
     * Where MQTT over TLS is, as {@code ssl://HOST:PORT}.
     *
     * @throws IllegalArgumentException without {@link #withTls}
     */
    public String tlsBrokerUrl() {
        return "ssl://" + getHost() + ":" + getMappedPort(MQTT_OVER_TLS);
    }

    /** Where MQTT over WebSocket is, as {@code ws://HOST:PORT/mqtt}. */
    public String webSocketUrl() {
        return "ws://" + getHost() + ":" + getMappedPort(MQTT_OVER_WEB_SOCKET) + "/mqtt";
    }

    /** Where health, metrics and the API are, as {@code http://HOST:PORT}. */
    public String httpUrl() {
        return "http://" + getHost() + ":" + getMappedPort(HTTP);
    }

    // GenericContainer compares fields, which change when it is started; a container equals itself alone.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
