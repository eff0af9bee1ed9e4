package io.tributary.broker.shard;

import io.tributary.broker.delivery.SessionObserver;
import java.util.Collections;
import java.util.Iterator;
import java.util.function.ToLongFunction;

/** Is told, and does nothing. */
public class NoObserver implements SessionObserver {
    @Override
    public void sessionEnded(String clientId, long session) {}

    @Override
    public Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf) {
        return Collections.emptyIterator();
    }
}
