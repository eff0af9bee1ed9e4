package io.tributary.server.blackbox;

import io.tributary.broker.blackbox.Scratch;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Shows the end of the brokers' logs with each failure. A test that asks for a {@link BrokerProcess} gets the one that
 * all such tests share: it uses names of its own, and leaves the broker running.
 */
public final class BrokerExtension
        implements ParameterResolver, TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {
    /** Its broker is started for the first test that asks, and ends with this JVM. */
    private static final class Shared {
        private static final BrokerProcess BROKER = BrokerProcess.start(Scratch.folder("shared"));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == BrokerProcess.class;
    }

    @Override
    public BrokerProcess resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Shared.BROKER;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw withLogs(failure);
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw withLogs(failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw withLogs(failure);
    }

    private static Throwable withLogs(Throwable failure) {
        if (failure instanceof TestAbortedException) {
            return failure;
        }
        String logs = BrokerProcess.logTails();
        return logs.isEmpty() ? failure : new AssertionError(failure + logs, failure);
    }
}
