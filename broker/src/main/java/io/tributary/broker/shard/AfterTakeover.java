package io.tributary.broker.shard;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/**
 * What there is to do for each session of a shard that was taken over, and that no client waits for: a part of it each
 * tick. Done at once it would hold up all shards of the thread for as long as it takes. Confined to the thread of the
 * driver.
 */
final class AfterTakeover {
    /** Nothing is left to do. */
    static final AfterTakeover DONE = new AfterTakeover(List.of(), 0);

    /** In how many ticks it is done, if it is not little: 20 s. */
    private static final int TICKS = 200;

    private static final int LEAST_A_TICK = 500;

    private final Iterator<Iterator<Runnable>> rest;
    private final int stepsATick;
    private Iterator<Runnable> now = Collections.emptyIterator();

    /**
     * Creates it.
     *
     * @param steps to be run one after the other
     * @param sessions about how many of them there are for each of these
     */
    AfterTakeover(List<Iterator<Runnable>> steps, int sessions) {
        rest = steps.iterator();
        stepsATick = Math.max(LEAST_A_TICK, steps.size() * (sessions / TICKS + 1));
    }

    /** Does the next part; ten times a second. Gives what is left. */
    AfterTakeover tick() {
        for (int left = stepsATick; left > 0; left--) {
            while (!now.hasNext()) {
                if (!rest.hasNext()) {
                    return DONE;
                }
                now = rest.next();
            }
            now.next().run();
        }
        return this;
    }
}
