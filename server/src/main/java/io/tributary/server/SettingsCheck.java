package io.tributary.server;

import io.tributary.server.api.Seed;
import io.tributary.server.settings.SecuritySettings;
import io.tributary.server.settings.ServerConfig;
import io.tributary.server.settings.StartSettings;
import io.tributary.server.settings.UnknownVariables;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Reads the settings before anything is made from them, the log included, and hands the broker's to the application.
 * For one start.
 */
final class SettingsCheck
        implements ApplicationListener<ApplicationEnvironmentPreparedEvent>,
                ApplicationContextInitializer<ConfigurableApplicationContext>,
                Ordered {
    private static final Logger LOG = LoggerFactory.getLogger(SettingsCheck.class);

    /** With its place in the list: a path may have a comma. */
    private static final String DISK_PATH = "management.metrics.system.diskspace.paths[0]";

    private @Nullable ServerConfig config;

    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER - 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        ServerConfig read = StartSettings.read(
                environment,
                event.getArgs(),
                Stream.of(
                                ManagementPort.wrong(environment).stream(),
                                ManagementPort.beside(environment),
                                LogSettings.wrong(environment).stream())
                        .flatMap(Function.identity())
                        .toList());
        checkSeed(read);
        environment.getPropertySources().addLast(new MapPropertySource("disk metrics", Map.of(DISK_PATH, disk(read))));
        config = read;
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        UnknownVariables.find(context.getEnvironment().getSystemEnvironment())
                .forEach(name -> LOG.warn(
                        "the environment variable {} is no setting and has no effect; docs/configuration.md says how settings"
                                + " are written there",
                        name));
        context.getBeanFactory().registerSingleton("serverConfig", Objects.requireNonNull(config));
        if (context instanceof WebServerApplicationContext) {
            ManagementPort.probe(context.getEnvironment());
        }
    }

    /** Before anything starts: what is wrong with the file would be found too late, and by nobody. */
    private static void checkSeed(ServerConfig config) {
        Path seed = config.security().seed();
        List<String> problems = new ArrayList<>();
        if (seed != null) {
            Seed _ = Seed.read(seed, problems);
        }
        if (!problems.isEmpty()) {
            throw new SettingException(problems.stream()
                    .map(problem -> SecuritySettings.SEED + ": " + seed + ", " + problem)
                    .toList());
        }
    }

    /** The folder whose disk fills up: the data folder; a node of a cluster has none, and only writes its log. */
    private static String disk(ServerConfig config) {
        Path folder = config.cluster() == null ? config.broker().dataDirectory() : Path.of("");
        return folder.toAbsolutePath().toString();
    }
}
