package io.tributary.broker.connection;

import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The one thing that is to happen on a connection's event loop unless something else does in time. */
final class Deadline {
    private final ConnectionContext context;
    private @Nullable ScheduledFuture<?> due;

    Deadline(ConnectionContext context) {
        this.context = context;
    }

    /** Does the action after that time, unless this is called again or cancelled before. */
    void set(Duration time, Runnable action) {
        cancel();
        due = context.schedule(time.toNanos(), action);
    }

    /** Nothing is to happen any more. */
    void cancel() {
        if (due != null) {
            due.cancel(false);
            due = null;
        }
    }
}
