package io.tributary.server.api;

import io.tributary.broker.Upgrade;
import io.tributary.broker.deployment.FormatStatus;
import io.tributary.common.thread.StageFailure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** {@code cluster/upgrade} over HTTP: which format the nodes write, and the end of an upgrade. */
public final class UpgradeResource {
    private final Upgrade upgrade;

    /** Creates it. */
    public UpgradeResource(Upgrade upgrade) {
        this.upgrade = upgrade;
    }

    CompletionStage<ApiAnswer> status(String method) {
        check(method, "GET");
        return CompletableFuture.completedStage(null)
                .thenApply(_ -> upgrade.status())
                .exceptionally(UpgradeResource::notNow)
                .thenApply(UpgradeResource::answer);
    }

    CompletionStage<ApiAnswer> finish(String method, String by, String from) {
        check(method, "POST");
        return CompletableFuture.completedStage(null)
                .thenCompose(_ -> upgrade.finish(by, from))
                .exceptionally(UpgradeResource::notNow)
                .thenApply(UpgradeResource::answer);
    }

    private static void check(String method, String allowed) {
        if (!method.equals(allowed)) {
            throw ApiProblem.noMethod(method);
        }
    }

    private static FormatStatus notNow(Throwable failure) {
        Throwable cause = StageFailure.cause(failure);
        if (cause instanceof IllegalStateException) {
            throw new ApiProblem(HttpStatus.CONFLICT, String.valueOf(cause.getMessage()));
        }
        throw new CompletionException(cause);
    }

    private static ApiAnswer answer(FormatStatus status) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("written", status.written());
        json.put("newest", status.newest());
        json.put("heldBy", status.heldBy());
        List<Map<String, @Nullable Object>> nodes = status.nodes().stream()
                .map(node -> {
                    Map<String, @Nullable Object> one = new LinkedHashMap<>();
                    one.put("node", node.name());
                    one.put("version", node.version());
                    one.put("upTo", node.upTo());
                    return one;
                })
                .toList();
        json.put("nodes", nodes);
        return new ApiAnswer(HttpStatus.OK, null, json);
    }
}
