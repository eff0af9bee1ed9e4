package io.tributary.server;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.tributary.broker.BrokerConfig;
import io.tributary.server.settings.ServerConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** The application as it is started, without its web server. */
final class Applications {
    private Applications() {}

    /** What the broker would be told, with these arguments. */
    static BrokerConfig config(String... arguments) {
        return serverConfig(arguments).broker();
    }

    /** What the broker would be told, and what would make it a node of a cluster, with these arguments. */
    static ServerConfig serverConfig(String... arguments) {
        SpringApplication application = TributaryApplication.application(SettingsOnly.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            return context.getBean(ServerConfig.class);
        }
    }

    /** A property that the application is started with, besides these arguments. */
    static @Nullable String property(String name, String... arguments) {
        SpringApplication application = TributaryApplication.application(SettingsOnly.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            return context.getEnvironment().getProperty(name);
        }
    }

    /** What is said when the whole application is started with arguments with which it must not start. */
    static String failure(String... arguments) {
        SpringApplication application = TributaryApplication.application(ApplicationConfiguration.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        Throwable failure = catchThrowable(() -> application.run(arguments).close());
        return failure == null ? "it started" : StartFailure.words(failure);
    }

    @Configuration(proxyBeanMethods = false)
    static class SettingsOnly {}
}
