package io.tributary.server;

import io.tributary.broker.Broker;
import io.tributary.server.settings.TributarySettings;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Stops the process on SIGTERM and SIGINT: the first one gracefully and within a bounded time, a second one at once,
 * with the exit code that shells know for it (143, 130). A start that is going on is given up. Stays on SIGHUP, which
 * is sent after a rotation of logs, or to have settings read again.
 */
final class StopSignals {
    private static final Logger LOG = LoggerFactory.getLogger(StopSignals.class);
    private static final int SIGNAL_EXIT_CODES = 128;
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;

    private final AtomicBoolean stopping = new AtomicBoolean();
    private volatile boolean started;
    private volatile Duration timeout = Duration.ofSeconds(20);

    private StopSignals() {}

    /** Takes over the signals. */
    static StopSignals install() {
        StopSignals signals = new StopSignals();
        signals.handle("TERM", () -> signals.received(SIGTERM));
        signals.handle("INT", () -> signals.received(SIGINT));
        if (!System.getProperty("os.name").startsWith("Windows")) {
            signals.handle("HUP", () -> LOG.info("SIGHUP: settings are read at the start only"));
        }
        return signals;
    }

    /**
     * Takes the time that stopping may take from the settings; one that is no duration is complained about elsewhere.
     */
    void stopWithin(Environment environment) {
        try {
            timeout = Binder.get(environment)
                    .bind(TributarySettings.PREFIX + ".stop-timeout", Duration.class)
                    .orElse(timeout);
        } catch (RuntimeException e) {
            timeout = Duration.ofSeconds(1);
        }
    }

    /**
     * Gives a start up when a signal comes: Spring would first go on with it to its end, however long that takes, and
     * only then stop. What was made until then is closed.
     */
    void endStart(ConfigurableApplicationContext context) {
        context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                // A broker that has just been made is closed by its RunningBroker alone: that one is still to come.
                boolean isClosedByLater = bean instanceof Broker || bean instanceof RunningBroker;
                if (stopping.get() && !started && !isClosedByLater) {
                    LOG.info("stopping: the start is given up");
                    throw new StoppedException();
                }
                return bean;
            }
        });
    }

    /** Whether a signal came. */
    boolean isStopping() {
        return stopping.get();
    }

    /** The start is over: the application is stopped in order from now on. */
    void started() {
        started = true;
    }

    /** A signal came during the start. */
    static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private StoppedException() {
            super("stopped by a signal");
        }
    }

    /**
     * The JDK has no supported way to see a signal twice; this one is in its module jdk.unsupported, out of javac's
     * sight.
     */
    private void handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler onSignal = (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                    action.run();
                }
                return null;
            };
            Object proxy =
                    Proxy.newProxyInstance(StopSignals.class.getClassLoader(), new Class<?>[] {handler}, onSignal);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no signals", e);
        }
    }

    private void received(int number) {
        if (!stopping.compareAndSet(false, true)) {
            Runtime.getRuntime().halt(SIGNAL_EXIT_CODES + number);
        }
        Thread watchdog = new Thread(this::endAfterTimeout, "stop-watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        new Thread(() -> System.exit(0), "stop").start();
    }

    @SuppressWarnings("SystemOut")
    private void endAfterTimeout() {
        try {
            Thread.sleep(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.err.println("not stopped after " + timeout.toMillis() + " ms (tributary.stop-timeout): ending at once");
        Runtime.getRuntime().halt(1);
    }
}
