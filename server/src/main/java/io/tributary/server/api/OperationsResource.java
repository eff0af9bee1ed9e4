package io.tributary.server.api;

import io.tributary.broker.relocation.Drain;
import io.tributary.broker.relocation.DrainOrder;
import io.tributary.broker.relocation.DrainStatus;
import io.tributary.broker.relocation.Rebalance;
import io.tributary.broker.relocation.RebalanceOrder;
import io.tributary.broker.relocation.RebalanceStatus;
import io.tributary.common.thread.StageFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Drain and rebalancing over HTTP: {@code node/drain} is about the node that is asked, {@code cluster/rebalance} about
 * all nodes. A request that drains names the node that it means: behind a load balancer it could reach another.
 */
public final class OperationsResource {
    private static final int RATE = 100;
    private static final int TOLERANCE = 10;
    private static final int SECONDS = 600;

    private final String node;
    private final int drainRate;
    private final Drain drain;
    private final Rebalance rebalance;

    /**
     * Creates it.
     *
     * @param node the name of this node
     * @param drainRate how many clients are sent away a second where nobody says a rate
     */
    public OperationsResource(String node, int drainRate, Drain drain, Rebalance rebalance) {
        this.node = node;
        this.drainRate = drainRate;
        this.drain = drain;
        this.rebalance = rebalance;
    }

    /**
     * Answers a request about this node's drain.
     *
     * @param named the node that the address names, null for none
     */
    CompletionStage<ApiAnswer> drain(String method, @Nullable String named, byte[] body, String by, String from) {
        return switch (method) {
            case "GET" -> CompletableFuture.completedStage(answer(drain.status()));
            case "POST" -> {
                JsonFields fields = JsonFields.parse(body);
                checkNode(fields.text("node"));
                yield drain.begin(order(fields, by, from)).thenApply(this::answer);
            }
            case "DELETE" -> {
                checkNode(named);
                yield drain.cancel(by, from).thenApply(this::answer);
            }
            default -> throw ApiProblem.noMethod(method);
        };
    }

    /** Of a drain that goes on, what the request does not say stays. */
    private DrainOrder order(JsonFields fields, String by, String from) {
        DrainOrder before = drain.status().order();
        long serveFor = number(
                fields,
                "serveForSeconds",
                before == null ? 0 : before.serveFor().toSeconds(),
                DrainOrder.LONGEST.toSeconds());
        long rate = number(fields, "rate", before == null ? drainRate : before.rate(), DrainOrder.MOST_A_SECOND);
        fields.nothingElse();
        return new DrainOrder(Duration.ofSeconds(serveFor), (int) rate, by, from);
    }

    /** Answers a request about the spread of connections. */
    CompletionStage<ApiAnswer> rebalance(String method, byte[] body, String by, String from) {
        CompletionStage<RebalanceStatus> done = switch (method) {
            case "GET" -> CompletableFuture.completedStage(rebalance.status());
            case "POST" -> {
                JsonFields fields = JsonFields.parse(body);
                int rate = (int) number(fields, "rate", RATE, DrainOrder.MOST_A_SECOND);
                int tolerance = (int) number(fields, "tolerance", TOLERANCE, Integer.MAX_VALUE);
                long seconds = number(fields, "seconds", SECONDS, Integer.MAX_VALUE);
                fields.nothingElse();
                yield rebalance.begin(rate, tolerance, Duration.ofSeconds(seconds), by, from);
            }
            case "DELETE" -> rebalance.cancel(by, from);
            default -> throw ApiProblem.noMethod(method);
        };
        return done.exceptionally(OperationsResource::notNow)
                .thenApply(status -> new ApiAnswer(HttpStatus.OK, null, json(status)));
    }

    private static RebalanceStatus notNow(Throwable failure) {
        Throwable cause = StageFailure.cause(failure);
        if (cause instanceof IllegalStateException) {
            throw new ApiProblem(HttpStatus.CONFLICT, "nothing to rebalance: " + cause.getMessage());
        }
        if (cause instanceof RejectedExecutionException) {
            throw ApiProblem.bad(String.valueOf(cause.getMessage()));
        }
        throw new CompletionException(cause);
    }

    private void checkNode(@Nullable String meant) {
        if (meant == null) {
            throw ApiProblem.bad("node is missing; it must be the name of the node that is meant");
        }
        if (!meant.equals(node)) {
            throw new ApiProblem(HttpStatus.CONFLICT, "this is the node " + node + ", not " + meant);
        }
    }

    private static long number(JsonFields fields, String name, long otherwise, long most) {
        Long given = fields.number(name);
        if (given != null && (given < 0 || given > most)) {
            throw ApiProblem.bad(name + " must be 0 to " + most);
        }
        return given == null ? otherwise : given;
    }

    private ApiAnswer answer(DrainStatus status) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("node", node);
        json.put("phase", status.phase().name().toLowerCase(Locale.ROOT));
        json.put("safeToStop", status.phase() == Drain.Phase.SAFE);
        json.put("clients", status.clients());
        json.put("shards", status.shards());
        json.put("waitsFor", status.waitsFor());
        if (status.givenUp() != null) {
            json.put("givenUp", status.givenUp());
        }
        json.put("seconds", status.seconds());
        DrainOrder order = status.order();
        if (order != null) {
            json.put("serveForSeconds", order.serveFor().toSeconds());
            json.put("rate", order.rate());
            json.put("by", order.by());
        }
        return new ApiAnswer(HttpStatus.OK, null, json);
    }

    private static Map<String, @Nullable Object> json(RebalanceStatus status) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("running", status.running());
        json.put("mean", Math.round(status.mean()));
        RebalanceOrder order = status.order();
        if (order.rate() > 0) {
            json.put("most", status.most());
            json.put("rate", order.rate());
            json.put("tolerance", order.tolerance());
            json.put("begun", Instant.ofEpochMilli(order.number()).toString());
            json.put("seconds", order.seconds());
        }
        if (status.ended() != null) {
            json.put("ended", status.ended());
        }
        List<Map<String, Object>> nodes = status.nodes().stream()
                .map(part -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("node", part.node());
                    one.put("connections", part.connections());
                    one.put("draining", part.draining());
                    return one;
                })
                .toList();
        json.put("nodes", nodes);
        return json;
    }
}
