package io.tributary.perf.client;

import io.tributary.perf.judge.Counts;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.judge.SourceCounts;
import io.tributary.perf.machine.Usage;
import java.util.List;

/**
 * All clients of a run, in this process or in several. Its methods are for one thread, block until what they ask for is
 * done, and throw {@link CrewException} if it cannot be done. Groups are named; no name means all of them.
 */
public interface Crew extends AutoCloseable {

    /** Connects the clients of groups, at the scenario's rate, and waits until all are ready. */
    void connect(List<String> groups);

    /**
     * Connects the clients of groups, at the scenario's rate, and has each disconnect as soon as it is ready: at no
     * time are more connected than may be on their way.
     */
    void visit(List<String> groups);

    /**
     * Disconnects the clients of groups.
     *
     * @param abruptly without a word
     */
    void disconnect(List<String> groups, boolean abruptly);

    /** Has all clients say in their messages, from now on, whether they are published in a measured step. */
    void measure(boolean isMeasured);

    /**
     * Has the clients of groups publish.
     *
     * @param messages so many each; 0 until {@link #end}
     */
    void begin(List<String> groups, int messages);

    /**
     * Has the clients of groups read nothing from their connections, or read on.
     *
     * @param stalled whether they are to stop
     */
    void stall(List<String> groups, boolean stalled);

    /** Has the clients of groups publish no more. */
    void end(List<String> groups);

    /** Whether the clients of groups have published what they were to, and all of it is acknowledged. */
    boolean isDone(List<String> groups);

    /**
     * Has the brokers forget the sessions that clients of this run left, at the rate at which they connected. When all
     * is over: nothing but {@link #close} can follow.
     */
    void endSessions();

    /** What was counted since the beginning. From any thread. */
    Counts counts();

    /** What was counted since the beginning, with the distributions since the last call. */
    Snapshot snapshot();

    /** What came of each source and what must have; when all is over. */
    SourceCounts sources();

    /** What the processes with these clients take themselves. From any thread. */
    List<Own> own();

    /** Ends all connections and threads. Sessions stay, unless {@link #endSessions} was called. */
    @Override
    void close();

    /**
     * One process of the tool.
     *
     * @param usage as the process itself sees it: from elsewhere nobody does
     * @param loopCpuNanos the processor time of each of its event loops, since its beginning
     */
    record Own(Usage usage, List<Long> loopCpuNanos) {

        /** Copies the list. */
        public Own {
            loopCpuNanos = List.copyOf(loopCpuNanos);
        }
    }
}
