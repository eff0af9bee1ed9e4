package io.tributary.broker.loop;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The mailboxes of some event loops, one each. Any thread. */
public final class LoopMailboxes {
    private final ConcurrentMap<EventExecutor, LoopMailbox> mailboxes = new ConcurrentHashMap<>();

    /** The one mailbox of an event loop. */
    public LoopMailbox of(EventExecutor loop) {
        return mailboxes.computeIfAbsent(loop, LoopMailbox::new);
    }

    /** Has all loops do what waits for its time ({@link LoopMailbox#slowly}), for they are about to end. */
    public void finish() {
        mailboxes.forEach((loop, mailbox) -> {
            if (!loop.isShuttingDown()) {
                loop.execute(mailbox::finish);
            }
        });
    }
}
