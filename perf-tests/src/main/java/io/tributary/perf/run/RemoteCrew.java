package io.tributary.perf.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.perf.client.Crew;
import io.tributary.perf.client.CrewException;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.judge.SourceCounts;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/** The clients in all runners: what is asked of one is asked of all at once, and their answers are added up. */
final class RemoteCrew implements Crew {
    private final List<RemoteRunner> runners;

    RemoteCrew(List<RemoteRunner> runners) {
        this.runners = List.copyOf(runners);
    }

    @Override
    public void connect(List<String> groups) {
        var _ = ask("connect", groups(groups));
    }

    @Override
    public void visit(List<String> groups) {
        var _ = ask("visit", groups(groups));
    }

    @Override
    public void disconnect(List<String> groups, boolean abruptly) {
        var _ = ask("disconnect", groups(groups).put("abruptly", abruptly));
    }

    @Override
    public void endSessions() {
        var _ = ask("endSessions", Frames.message());
    }

    @Override
    public void measure(boolean isMeasured) {
        var _ = ask("measure", Frames.message().put("measured", isMeasured));
    }

    @Override
    public void begin(List<String> groups, int messages) {
        var _ = ask("begin", groups(groups).put("messages", messages));
    }

    @Override
    public void stall(List<String> groups, boolean stalled) {
        var _ = ask("stall", groups(groups).put("stalled", stalled));
    }

    @Override
    public void end(List<String> groups) {
        var _ = ask("end", groups(groups));
    }

    @Override
    public boolean isDone(List<String> groups) {
        return ask("isDone", groups(groups)).stream().allMatch(JsonNode::asBoolean);
    }

    @Override
    public Counts counts() {
        return ask("counts", Frames.message()).stream().map(Wire::counts).reduce(Counts.NONE, Counts::plus);
    }

    @Override
    public Snapshot snapshot() {
        return ask("snapshot", Frames.message()).stream().map(Wire::snapshot).reduce(Snapshot.NONE, Snapshot::plus);
    }

    @Override
    public SourceCounts sources() {
        List<SourceCounts> parts =
                ask("sources", Frames.message()).stream().map(Wire::sources).toList();
        parts.stream().skip(1).forEach(parts.getFirst()::add);
        return parts.getFirst();
    }

    @Override
    public List<Own> own() {
        List<JsonNode> answers = ask("own", Frames.message());
        return IntStream.range(0, answers.size())
                .mapToObj(i -> runners.get(i).own(answers.get(i)))
                .toList();
    }

    @Override
    public void close() {
        var _ = ask("close", Frames.message());
    }

    private List<JsonNode> ask(String what, ObjectNode details) {
        List<CompletableFuture<JsonNode>> questions =
                runners.stream().map(runner -> runner.ask(what, details)).toList();
        try {
            return questions.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            throw new CrewException(String.valueOf(cause == null ? e.getMessage() : cause.getMessage()), e);
        }
    }

    private static ObjectNode groups(List<String> names) {
        ObjectNode details = Frames.message();
        details.set("groups", Frames.MAPPER.valueToTree(names));
        return details;
    }
}
