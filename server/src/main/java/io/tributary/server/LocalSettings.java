package io.tributary.server;

import io.tributary.security.web.WebClient;
import io.tributary.server.settings.NamedTokens;
import io.tributary.server.settings.check.SettingException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.DefaultResourceLoader;

/**
 * What the configuration of this machine says of the broker's port of health and metrics: the files and environment
 * variables that {@code tributary run} reads in the same folder. What the broker has from its command line, it does not
 * know.
 */
final class LocalSettings {
    private static final String PREFIX = "tributary.";
    private static final Set<String> EVERYWHERE = Set.of("", "0.0.0.0", "::", "[::]");

    private final StandardEnvironment environment;

    private LocalSettings(StandardEnvironment environment) {
        this.environment = environment;
    }

    /**
     * Reads them.
     *
     * @throws SettingException when a file is wrong, or this user may not read it
     */
    static LocalSettings read() {
        LoggingSystem.get(LocalSettings.class.getClassLoader()).beforeInitialize(); // nothing on standard output
        return read(new StandardEnvironment());
    }

    static LocalSettings read(StandardEnvironment environment) {
        environment
                .getPropertySources()
                .addLast(new PropertiesPropertySource("defaultProperties", TributaryApplication.defaults()));
        try {
            ConfigDataEnvironmentPostProcessor.applyTo(environment, new DefaultResourceLoader(), null);
        } catch (RuntimeException e) {
            throw new SettingException(StartFailure.words(e).lines().toList());
        }
        ConfigurationPropertySources.attach(environment);
        return new LocalSettings(environment);
    }

    /** The port of this machine. */
    URI url() {
        String host = text("server.address");
        String scheme = certificate() == null ? "http" : "https";
        String at = host == null || EVERYWHERE.contains(host) ? "127.0.0.1" : host;
        return URI.create(scheme + "://" + (at.indexOf(':') >= 0 ? "[" + at + "]" : at) + ":" + text("server.port"));
    }

    /** The certificate of the port, null where it has no TLS. */
    @Nullable
    Path certificate() {
        String file = text(PREFIX + "http.tls.certificate");
        return file == null ? null : Path.of(file);
    }

    /**
     * The first token of administrators.
     *
     * @param given the file that it is in; null for that of the settings
     * @throws SettingException when there is none, or the file cannot be used
     */
    String token(@Nullable Path given) {
        String setting = PREFIX + "security.admin-token-file";
        String configured = text(setting);
        String data = text(PREFIX + "data-dir");
        Path made = Path.of(data == null ? "data" : data, "admin.token").toAbsolutePath();
        Path file = given != null ? given : configured != null ? Path.of(configured) : made;
        if (given == null && configured == null && !Files.exists(made)) {
            throw new SettingException(
                    "--token-file",
                    "is missing: no setting " + setting + " names the token's file, nor is there " + made);
        }
        return NamedTokens.read(given == null ? setting : "--token-file", file)
                .keySet()
                .iterator()
                .next();
    }

    private @Nullable String text(String name) {
        String value = environment.getProperty(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    /** Whether an address is of this machine, by a name that it always has. */
    static boolean isHere(URI url) {
        return WebClient.isThisMachine(url.getHost());
    }
}
