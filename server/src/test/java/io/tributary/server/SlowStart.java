package io.tributary.server;

import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** A program that does not start by itself: it goes on only when a signal has come. */
final class SlowStart {
    private SlowStart() {}

    public static void main(String[] arguments) {
        SpringApplication application = TributaryApplication.application(Parts.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        TributaryApplication.run(application, arguments);
    }

    @Configuration(proxyBeanMethods = false)
    @SuppressWarnings("SystemOut")
    static class Parts {
        @Bean
        @Lazy(false)
        AutoCloseable made() {
            System.out.println("made");
            return () -> System.out.println("closed");
        }

        /** Sleeps, and does not wait: what waits Spring leaves alone. */
        @Bean
        @Lazy(false)
        Object slow() throws InterruptedException {
            System.out.println("starting");
            while (Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("stop"))) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            return "slow";
        }

        @Bean
        @Lazy(false)
        Object next() {
            System.out.println("went on");
            return "next";
        }
    }
}
