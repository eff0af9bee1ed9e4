package io.tributary.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import org.springframework.boot.SpringApplication;

/** The broker as a program. */
public final class TributaryApplication {
    /**
     * Netty would track each hundredth buffer to find leaks. The tests track all buffers, and find the same leaks.
     */
    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    private static final String DEFAULTS = "/tributary-defaults.properties";

    private TributaryApplication() {}

    /** Runs a broker until it is told to stop; its arguments are settings, {@code --key=value}. */
    public static void main(String[] arguments) {
        System.setProperty(LEAK_DETECTION, System.getProperty(LEAK_DETECTION, "disabled"));
        run(application(ApplicationConfiguration.class), arguments);
    }

    /** Runs an application until the process is told to stop, or ends it with what keeps it from starting. */
    static void run(SpringApplication application, String... arguments) {
        StopSignals signals = StopSignals.install();
        application.addInitializers(context -> {
            signals.stopWithin(context.getEnvironment());
            signals.endStart(context);
        });
        try {
            application.run(arguments);
            signals.started();
        } catch (RuntimeException e) {
            if (signals.isStopping()) {
                return; // the start was given up, and the thread that stops ends the JVM
            }
            // The reason is printed already, by StartFailureReporter.
            if (StartFailureReporter.isVerbose() || List.of(arguments).contains("--debug")) {
                e.printStackTrace();
            }
            System.exit(1);
        }
    }

    /**
     * An application, not started; with the defaults, and with what looks at the settings before anything else does.
     */
    static SpringApplication application(Class<?> configuration) {
        SpringApplication application = new SpringApplication(configuration);
        application.setDefaultProperties(defaults());
        application.setLogStartupInfo(false);
        SettingsCheck settings = new SettingsCheck();
        application.addListeners(settings);
        application.addInitializers(settings);
        return application;
    }

    /** What holds where nothing else is said. */
    static Properties defaults() {
        Properties defaults = new Properties();
        try (InputStream file = TributaryApplication.class.getResourceAsStream(DEFAULTS)) {
            if (file == null) {
                throw new IllegalStateException(DEFAULTS + " is missing from this build");
            }
            defaults.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return defaults;
    }
}
