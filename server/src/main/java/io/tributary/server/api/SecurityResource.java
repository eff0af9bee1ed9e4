package io.tributary.server.api;

import io.tributary.broker.guard.RefusedClient;
import io.tributary.broker.guard.RefusedClients;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.DeviceToken;
import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityStore.Entry;
import io.tributary.broker.security.store.SecurityStore.Page;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.Stamp;
import io.tributary.broker.security.store.StoredUser;
import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.tenant.TenantUse;
import io.tributary.common.digest.Sha256;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.PasswordHash.Argon2id;
import io.tributary.security.work.WorkPool;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.util.UriUtils;

/**
 * Users, device tokens, rule sets, bans and tenants over HTTP. What exists is changed with its version in
 * {@code If-Match}, what is new is made with {@code If-None-Match: *}: of two who change the same, one is told.
 */
public final class SecurityResource {
    private static final int MOST_ON_A_PAGE = 1_000;
    private static final int ON_A_PAGE = 100;
    private static final int MOST_PASSWORD_BYTES = 1_024;
    private static final int SALT_BYTES = 16;

    private final SecurityStore store;
    private final RefusedClients refused;
    private final WorkPool hashing;
    private final Function<String, TenantUse> tenantUse;

    /**
     * Creates it.
     *
     * @param refused the clients that this node refused last
     * @param hashing where slow hashes are computed
     * @param tenantUse what a tenant uses
     */
    public SecurityResource(
            SecurityStore store, RefusedClients refused, WorkPool hashing, Function<String, TenantUse> tenantUse) {
        this.store = store;
        this.refused = refused;
        this.hashing = hashing;
        this.tenantUse = tenantUse;
    }

    CompletionStage<ApiAnswer> answer(ApiRequest request) {
        SecurityTable table = SecurityTable.named(request.table())
                .orElseThrow(() -> new ApiProblem(
                        HttpStatus.NOT_FOUND, "there are " + String.join(", ", SecurityTable.mapNames())));
        if (!store.isCurrent()) {
            throw new ApiProblem(
                    HttpStatus.SERVICE_UNAVAILABLE, "this node does not know what the others know at the moment");
        }
        String id = request.id();
        if (id == null) {
            return switch (request.method()) {
                case "GET" -> CompletableFuture.completedStage(page(table, request));
                case "POST" -> made(table, request);
                default -> throw ApiProblem.noMethod(request.method());
            };
        }
        return switch (request.method()) {
            case "GET" -> CompletableFuture.completedStage(found(table, id));
            case "PUT" -> put(table, id, request);
            case "DELETE" -> removed(table, id, request);
            default -> throw ApiProblem.noMethod(request.method());
        };
    }

    private ApiAnswer page(SecurityTable table, ApiRequest request) {
        int limit = limit(request.limit());
        Page page = store.page(table, request.after() == null ? "" : request.after(), limit);
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("items", page.entries().stream().map(this::json).toList());
        json.put(
                "next",
                page.next() == null
                        ? null
                        : "/api/v1/security/" + table.mapName() + "?limit=" + limit + "&after="
                                + UriUtils.encode(page.next(), StandardCharsets.UTF_8));
        return new ApiAnswer(HttpStatus.OK, null, json);
    }

    /** Entries of the audit log, the newest first. */
    CompletionStage<ApiAnswer> audit(@Nullable String before, @Nullable String limit) {
        int most = limit(limit);
        return store.audit(before(before), most)
                .exceptionally(failure -> {
                    throw new ApiProblem(
                            HttpStatus.SERVICE_UNAVAILABLE, "the audit log cannot be read: " + failure.getMessage());
                })
                .thenApply(entries -> {
                    Map<String, @Nullable Object> json = new LinkedHashMap<>();
                    json.put("items", entries.stream().map(ObjectJson::of).toList());
                    json.put(
                            "next",
                            entries.isEmpty()
                                    ? null
                                    : "/api/v1/audit?limit=" + most + "&before="
                                            + entries.getLast().position());
                    return new ApiAnswer(HttpStatus.OK, null, json);
                });
    }

    /** The clients that this node refused last, the newest first. */
    ApiAnswer refused(@Nullable String before, @Nullable String limit) {
        int most = limit(limit);
        List<RefusedClient> clients = refused.newest(before(before), most);
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("items", clients.stream().map(ObjectJson::of).toList());
        json.put(
                "next",
                clients.size() < most
                        ? null
                        : "/api/v1/security/refused?limit=" + most + "&before="
                                + clients.getLast().number());
        return new ApiAnswer(HttpStatus.OK, null, json);
    }

    private static long before(@Nullable String given) {
        if (given != null && !given.matches("\\d{1,18}")) {
            throw ApiProblem.bad("before must be the number of an entry");
        }
        return given == null ? Long.MAX_VALUE : Long.parseLong(given);
    }

    /** How long a page is to be. */
    static int limit(@Nullable String given) {
        if (given == null) {
            return ON_A_PAGE;
        }
        if (!given.matches("\\d{1,4}") || Integer.parseInt(given) < 1 || Integer.parseInt(given) > MOST_ON_A_PAGE) {
            throw ApiProblem.bad("limit must be 1 to " + MOST_ON_A_PAGE);
        }
        return Integer.parseInt(given);
    }

    private ApiAnswer found(SecurityTable table, String id) {
        Entry entry = store.find(table, id);
        if (entry == null) {
            throw notFound(table, id);
        }
        return new ApiAnswer(HttpStatus.OK, entry.stamp().toString(), json(entry));
    }

    /** Of a tenant also what it uses. */
    private Map<String, @Nullable Object> json(Entry entry) {
        Map<String, @Nullable Object> json = ObjectJson.of(entry);
        if (entry.object() instanceof TenantLimits tenant) {
            json.put("used", ObjectJson.of(tenantUse.apply(tenant.name())));
        }
        return json;
    }

    private CompletionStage<ApiAnswer> put(SecurityTable table, String id, ApiRequest request) {
        if (table == SecurityTable.TOKENS) {
            throw new ApiProblem(HttpStatus.METHOD_NOT_ALLOWED, "tokens are made by POST, and are not changed");
        }
        Entry before = store.find(table, id);
        Change.Condition condition = condition(request, before);
        boolean isNew = condition instanceof Change.Absent;
        Stamp there = before == null ? null : before.stamp();
        // Not left to the store: fields that the body does not name come from this node's copy. Where that is behind,
        // the condition may hold there all the same, and another's change would be lost.
        if (!isNew && !condition.holds(there)) {
            throw conflict(table, id, there);
        }
        JsonFields body = JsonFields.parse(request.body());
        String password = body.text("password");
        SecurityObject read = ObjectJson.read(table, id, body, before == null || isNew ? null : before.object());
        return withPassword(read, password)
                .thenCompose(object -> store.change(Change.put(object, condition, request.by(), request.from()))
                        .thenApply(result -> {
                            Stamp stamp = done(table, id, result);
                            HttpStatus status = isNew ? HttpStatus.CREATED : HttpStatus.OK;
                            Map<String, @Nullable Object> json = ObjectJson.of(object);
                            json.put("etag", stamp.toString());
                            return new ApiAnswer(status, stamp.toString(), json);
                        }));
    }

    /** The user with the hash of a password, which is slow on purpose. */
    private CompletionStage<SecurityObject> withPassword(SecurityObject object, @Nullable String password) {
        if (!(object instanceof StoredUser user) || password == null) {
            return CompletableFuture.completedStage(object);
        }
        byte[] bytes = PasswordHash.utf8(password);
        if (bytes.length == 0 || bytes.length > MOST_PASSWORD_BYTES) {
            throw ApiProblem.bad("password must have 1 to " + MOST_PASSWORD_BYTES + " bytes");
        }
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return hashing.submit(() -> Argon2id.of(bytes, salt).toString())
                .exceptionally(failure -> {
                    if (failure instanceof RejectedExecutionException) {
                        throw new ApiProblem(HttpStatus.SERVICE_UNAVAILABLE, "too many passwords wait to be hashed");
                    }
                    throw new IllegalStateException("the password could not be hashed", failure);
                })
                .thenApply(user::withPasswordHash);
    }

    private CompletionStage<ApiAnswer> removed(SecurityTable table, String id, ApiRequest request) {
        Change.Condition condition = condition(request, store.find(table, id));
        if (condition instanceof Change.Absent) {
            throw ApiProblem.bad("If-None-Match has no meaning with DELETE");
        }
        return store.change(Change.remove(table, id, condition, request.by(), request.from()))
                .thenApply(result -> {
                    Stamp _ = done(table, id, result);
                    return new ApiAnswer(HttpStatus.NO_CONTENT, null, null);
                });
    }

    /** A device token, whose secret is in this answer and nowhere else. */
    private CompletionStage<ApiAnswer> made(SecurityTable table, ApiRequest request) {
        if (table != SecurityTable.TOKENS) {
            throw new ApiProblem(HttpStatus.METHOD_NOT_ALLOWED, "only tokens are made by POST; use PUT with an id");
        }
        JsonFields body = JsonFields.parse(request.body());
        String owner = body.textThatMustBe("user");
        String description = body.text("description");
        Instant expires = body.time("expires");
        body.nothingElse();
        Entry user = store.find(SecurityTable.USERS, owner);
        if (user == null || !(user.object() instanceof StoredUser stored)) {
            throw ApiProblem.bad("there is no user " + owner);
        }
        String secret = DeviceToken.newSecret();
        DeviceToken token =
                new DeviceToken(Sha256.of(PasswordHash.utf8(secret)), owner, stored.serial(), description, expires);
        return store.change(Change.put(token, new Change.Absent(), request.by(), request.from()))
                .thenApply(result -> {
                    Stamp stamp = done(table, token.id(), result);
                    Map<String, @Nullable Object> json = ObjectJson.of(token);
                    json.put("token", secret);
                    json.put("etag", stamp.toString());
                    return new ApiAnswer(HttpStatus.CREATED, stamp.toString(), json);
                });
    }

    /**
     * What must hold for a change. What is read here is put together from the object that is there, so a change of any
     * version is one of exactly this version.
     */
    private static Change.Condition condition(ApiRequest request, @Nullable Entry before) {
        String match = request.ifMatch();
        if (match == null && request.ifNoneMatch() == null) {
            throw new ApiProblem(
                    HttpStatus.PRECONDITION_REQUIRED,
                    "send If-Match with the ETag of what is to be changed, or If-None-Match: * for what is new");
        }
        if (match == null) {
            if (!"*".equals(request.ifNoneMatch())) {
                throw ApiProblem.bad("If-None-Match must be *");
            }
            return new Change.Absent();
        }
        if (match.strip().equals("*")) {
            return before == null ? new Change.Present() : new Change.Is(before.stamp());
        }
        return List.of(match.strip()).stream()
                .filter(text -> text.length() > 2 && text.startsWith("\"") && text.endsWith("\""))
                .flatMap(text -> Stamp.parse(text.substring(1, text.length() - 1)).stream())
                .<Change.Condition>map(Change.Is::new)
                .findFirst()
                .orElseThrow(() -> new ApiProblem(
                        HttpStatus.PRECONDITION_FAILED, "If-Match is not the ETag of any version: " + match));
    }

    private static Stamp done(SecurityTable table, String id, ChangeResult result) {
        return switch (result) {
            case ChangeResult.Done(Stamp stamp) -> stamp;
            case ChangeResult.Conflict(Stamp there) -> throw conflict(table, id, there);
            case ChangeResult.Refused(String why) -> throw ApiProblem.bad(why);
            case ChangeResult.NotNow(String why) ->
                throw new ApiProblem(HttpStatus.SERVICE_UNAVAILABLE, "nothing was changed: " + why);
            case ChangeResult.Unknown(String why) ->
                throw new ApiProblem(HttpStatus.GATEWAY_TIMEOUT, "it is not known whether the change was made: " + why);
        };
    }

    private static ApiProblem conflict(SecurityTable table, String id, @Nullable Stamp there) {
        String where = id + " in " + table.mapName();
        return new ApiProblem(
                HttpStatus.PRECONDITION_FAILED,
                there == null ? "there is no " + where : where + " has the version " + there);
    }

    private static ApiProblem notFound(SecurityTable table, String id) {
        return new ApiProblem(HttpStatus.NOT_FOUND, "there is no " + id + " in " + table.mapName());
    }
}
