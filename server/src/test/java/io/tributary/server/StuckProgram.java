package io.tributary.server;

import java.util.concurrent.CountDownLatch;
import org.springframework.core.env.StandardEnvironment;

/** A program that does not end by itself: its stop waits for what never comes. */
final class StuckProgram {
    private StuckProgram() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws InterruptedException {
        System.setProperty("tributary.stop-timeout", arguments[0]);
        StopSignals.install().stopWithin(new StandardEnvironment());
        CountDownLatch never = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            System.out.println("stopping");
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        System.out.println("ready");
        never.await();
    }
}
