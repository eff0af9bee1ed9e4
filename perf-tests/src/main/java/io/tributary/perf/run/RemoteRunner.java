package io.tributary.perf.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.perf.client.Crew.Own;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A runner as its orchestrator sees it: questions, and answers in any order. Thread-safe. */
final class RemoteRunner implements AutoCloseable {
    private static final int CLOCK_PROBES = 50;

    private final Frames frames;
    private final String name;
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    /** Whether its machine is not known to be this one. */
    private final boolean isElsewhere;

    private volatile boolean lost;
    private volatile long offset;

    RemoteRunner(Frames frames, String name) {
        this.frames = frames;
        this.name = name;
        isElsewhere = frames.isFromElsewhere();
        Thread.ofVirtual().name("perf-" + name).start(this::listen);
    }

    /** What its process takes, as it says itself. */
    Own own(JsonNode answer) {
        Own own = Wire.own(answer);
        return isElsewhere ? new Own(own.usage().elsewhere(), own.loopCpuNanos()) : own;
    }

    /** Whether it has gone. */
    boolean isGone() {
        return lost;
    }

    /** Asks; the answer comes when what was asked for is done. */
    CompletableFuture<JsonNode> ask(String what, ObjectNode details) {
        long id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        asked.put(id, answer);
        try {
            frames.write(Frames.message().put("id", id).put("ask", what).set("details", details));
        } catch (IOException e) {
            answer.completeExceptionally(new RunException(name + " is gone: " + e.getMessage(), e));
        }
        if (lost) {
            answer.completeExceptionally(new RunException(name + " is gone"));
        }
        return answer;
    }

    /**
     * Sets its clock to ours.
     *
     * @throws RunException if it is gone
     */
    void setClock() {
        offset = compareClock().offset;
        answer("offset", Frames.message().put("nanos", offset));
    }

    /**
     * How far its clock may be off by now, in nanoseconds: as it was set, it goes on at a speed of its own.
     *
     * @throws RunException if it is gone
     */
    long clockErrorNanos() {
        Comparison now = compareClock();
        return Math.abs(now.offset - offset) + now.error;
    }

    /** By the fastest of several questions for its time. */
    private Comparison compareClock() {
        long fastest = Long.MAX_VALUE;
        long difference = 0;
        for (int i = 0; i < CLOCK_PROBES; i++) {
            long before = System.nanoTime();
            long theirs = answer("clock", Frames.message()).path("nanos").asLong();
            long after = System.nanoTime();
            if (after - before < fastest) {
                fastest = after - before;
                difference = before + (after - before) / 2 - theirs;
            }
        }
        return new Comparison(difference, fastest / 2);
    }

    /**
     * Of two clocks, in nanoseconds.
     *
     * @param offset of ours to its own
     * @param error by how much that may be wrong
     */
    private record Comparison(long offset, long error) {}

    /**
     * Asks, and waits for the answer.
     *
     * @throws RunException if none comes, or it is that something failed
     */
    JsonNode answer(String what, ObjectNode details) {
        return answerTo(ask(what, details));
    }

    /** Waits for an answer, as {@link #answer}. */
    static JsonNode answerTo(CompletableFuture<JsonNode> question) {
        try {
            return question.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RunException known) {
                throw known;
            }
            throw new RunException(String.valueOf(e.getMessage()), e);
        }
    }

    private void listen() {
        try {
            while (true) {
                JsonNode answer = frames.read();
                CompletableFuture<JsonNode> question =
                        asked.remove(answer.path("id").asLong());
                if (question == null) {
                    continue;
                }
                if (answer.has("error")) {
                    question.completeExceptionally(
                            new RunException(name + ": " + answer.path("error").asText()));
                } else {
                    question.complete(answer.path("answer"));
                }
            }
        } catch (IOException e) {
            lost = true;
            asked.values()
                    .forEach(question -> question.completeExceptionally(
                            new RunException(name + " is gone (" + e.getMessage() + ")", e)));
        }
    }

    @Override
    public void close() {
        frames.close();
    }
}
