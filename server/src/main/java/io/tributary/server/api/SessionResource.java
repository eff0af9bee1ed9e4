package io.tributary.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.broker.PersistentSession;
import io.tributary.broker.Sessions;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.thread.StageFailure;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.util.UriUtils;

/** Persistent sessions over HTTP: to be listed, looked at and ended. */
public final class SessionResource {
    private final Sessions sessions;

    /** Creates it. */
    public SessionResource(Sessions sessions) {
        this.sessions = sessions;
    }

    /**
     * Answers a request.
     *
     * @param clientId the client whose session is meant, null for all
     * @param parameter the parameters of the address, by their names
     */
    CompletionStage<ApiAnswer> answer(
            String method,
            @Nullable String clientId,
            Function<String, @Nullable String> parameter,
            String by,
            String from) {
        String tenant = parameter.apply("tenant");
        CompletionStage<ApiAnswer> answer = switch (method) {
            case "GET" -> clientId == null ? page(tenant, parameter) : shown(tenant, clientId);
            case "DELETE" -> {
                if (clientId == null) {
                    throw ApiProblem.bad("name the client whose session is to end: /api/v1/sessions/CLIENT");
                }
                yield ended(tenant, clientId, by, from);
            }
            default -> throw ApiProblem.noMethod(method);
        };
        return answer.exceptionally(SessionResource::notNow);
    }

    private CompletionStage<ApiAnswer> page(@Nullable String tenant, Function<String, @Nullable String> parameter) {
        int limit = SecurityResource.limit(parameter.apply("limit"));
        ClientKind kind = ObjectJson.kind(parameter.apply("kind"));
        String after = parameter.apply("after");
        return sessions.list(tenant, kind, after == null ? "" : after, limit).thenApply(page -> {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put(
                    "items", page.sessions().stream().map(SessionResource::json).toList());
            json.put("next", page.next() == null ? null : next(tenant, kind, limit, page.next()));
            return new ApiAnswer(HttpStatus.OK, null, json);
        });
    }

    private static String next(@Nullable String tenant, @Nullable ClientKind kind, int limit, String after) {
        return "/api/v1/sessions?limit=" + limit
                + (tenant == null ? "" : "&tenant=" + UriUtils.encode(tenant, UTF_8))
                + (kind == null ? "" : "&kind=" + ObjectJson.word(kind))
                + "&after=" + UriUtils.encode(after, UTF_8);
    }

    private CompletionStage<ApiAnswer> shown(@Nullable String tenant, String clientId) {
        return sessions.find(tenant, clientId).thenCombine(sessions.subscriptions(tenant, clientId), (found, its) -> {
            Map<String, @Nullable Object> json = json(found.orElseThrow(() -> notFound(clientId)));
            json.put("subscriptions", its.stream().map(SessionResource::json).toList());
            return new ApiAnswer(HttpStatus.OK, null, json);
        });
    }

    private CompletionStage<ApiAnswer> ended(@Nullable String tenant, String clientId, String by, String from) {
        return sessions.end(tenant, clientId, by, from).thenApply(done -> {
            if (!done) {
                throw notFound(clientId);
            }
            return new ApiAnswer(HttpStatus.NO_CONTENT, null, null);
        });
    }

    private static ApiProblem notFound(String clientId) {
        return new ApiProblem(HttpStatus.NOT_FOUND, "this node knows no persistent session of " + clientId);
    }

    private static ApiAnswer notNow(Throwable failure) {
        Throwable cause = StageFailure.cause(failure);
        throw switch (cause) {
            case RejectedExecutionException refused ->
                new ApiProblem(HttpStatus.SERVICE_UNAVAILABLE, "nothing was ended: " + refused.getMessage());
            case IllegalStateException _ ->
                new ApiProblem(HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(cause.getMessage()));
            case TimeoutException _ ->
                new ApiProblem(
                        HttpStatus.GATEWAY_TIMEOUT,
                        "it is not known whether the session has ended: its shard's owner has not answered. It ends"
                                + " once it does; to end it again does no harm, but to a session that has begun since");
            default -> new CompletionException(cause);
        };
    }

    private static Map<String, @Nullable Object> json(PersistentSession session) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("clientId", session.clientId());
        json.put("tenant", session.tenant());
        json.put("kind", ObjectJson.word(session.kind()));
        Principal principal = session.principal();
        json.put("realm", principal == null ? null : principal.realm());
        json.put("user", principal == null ? null : principal.name());
        json.put("subscriptionCount", session.subscriptions());
        json.put("connected", session.connected());
        PersistentSession.Owned owned = session.owned();
        if (owned != null) {
            Instant awaySince = owned.awaySince();
            json.put("node", owned.node());
            json.put("awaySince", awaySince == null ? null : awaySince.toString());
            json.put("expirySeconds", owned.expirySeconds());
            if (!session.kind().isApplication()) {
                json.put("queuedMessages", owned.queuedMessages());
                json.put("queuedBytes", owned.queuedBytes());
            }
        }
        return json;
    }

    private static Map<String, @Nullable Object> json(SubscriptionRequest subscription) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("filter", subscription.filter().toString());
        json.put("qos", subscription.qos().code());
        json.put("noLocal", subscription.noLocal());
        json.put("retainAsPublished", subscription.retainAsPublished());
        json.put("subscriptionId", subscription.subscriptionId() == 0 ? null : subscription.subscriptionId());
        return json;
    }
}
