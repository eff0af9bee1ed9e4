package io.tributary.perf.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The connections of an event loop that have something to send: each is flushed once, at the end of the loop's turn,
 * when all that came in it was worked on. Confined to the event loop.
 */
final class TurnEnd implements Runnable {
    private final Executor loop;
    private final List<Connection> touched = new ArrayList<>();

    TurnEnd(Executor loop) {
        this.loop = loop;
    }

    /** Flushes this connection at the end of the turn. Called once a turn for each. */
    void add(Connection connection) {
        if (touched.isEmpty()) {
            loop.execute(this);
        }
        touched.add(connection);
    }

    @Override
    public void run() {
        for (int i = 0; i < touched.size(); i++) { // a flush may touch more
            touched.get(i).flush();
        }
        touched.clear();
    }
}
