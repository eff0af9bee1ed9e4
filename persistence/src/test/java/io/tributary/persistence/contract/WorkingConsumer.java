package io.tributary.persistence.contract;

import io.tributary.persistence.app.GroupTopics;
import io.tributary.persistence.app.GroupTopics.Consumer;
import io.tributary.persistence.app.GroupTopics.Consumption;
import io.tributary.persistence.app.GroupTopics.GroupMessage;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Accepts all messages on a thread of its own, and always has the same number requested or in hand. */
public final class WorkingConsumer implements Consumer, AutoCloseable {
    private final Tally tally;
    private final AtomicInteger count = new AtomicInteger();
    private final ExecutorService worker = Executors.newSingleThreadExecutor();
    private final Consumption consumption;

    /** Begins to work. */
    public WorkingConsumer(GroupTopics topics, String group, Tally tally, int window) {
        this.tally = tally;
        this.consumption = topics.consume(group, this);
        consumption.request(window);
    }

    @Override
    public void onMessages(List<GroupMessage> messages) {
        worker.execute(() -> {
            for (GroupMessage each : messages) {
                tally.note(each);
                count.incrementAndGet();
                consumption.accept(each);
                consumption.request(1);
            }
        });
    }

    /** How many messages came here. */
    public int count() {
        return count.get();
    }

    @Override
    public void close() {
        consumption.close();
        worker.close();
    }
}
