package io.tributary.server.api;

import io.tributary.broker.guard.RefusedClient;
import io.tributary.broker.security.store.Ban;
import io.tributary.broker.security.store.DeviceToken;
import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.SecurityStore.Entry;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.StoredRuleSet;
import io.tributary.broker.security.store.StoredUser;
import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantUse;
import io.tributary.common.event.ClientKind;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.security.password.PasswordHash;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Security objects as the API writes and reads them. No answer has a secret, or a hash of one, in it. */
final class ObjectJson {
    private ObjectJson() {}

    /** An entry as an answer has it. */
    static Map<String, @Nullable Object> of(Entry entry) {
        Map<String, @Nullable Object> json = of(entry.object());
        json.put("changed", Instant.ofEpochMilli(entry.changedMillis()).toString());
        json.put("etag", entry.stamp().toString());
        return json;
    }

    /** An entry of the audit log as an answer has it. */
    static Map<String, @Nullable Object> of(AuditLog.Entry entry) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("position", entry.position());
        json.put("time", Instant.ofEpochMilli(entry.timeMillis()).toString());
        json.putAll(JsonFields.parse(entry.bytes()).textsByName());
        return json;
    }

    /** A client that was refused, as an answer has it. */
    static Map<String, @Nullable Object> of(RefusedClient client) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("number", client.number());
        json.put("time", client.time().toString());
        json.put("listener", client.listener());
        json.put("address", client.address());
        json.put("clientId", client.clientId());
        json.put("user", client.userName());
        json.put("reason", client.reason());
        json.put("words", client.words());
        return json;
    }

    /** What a tenant uses, as an answer has it. */
    static Map<String, @Nullable Object> of(TenantUse use) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put(camel(Limit.CONNECTIONS), use.connections());
        json.put(camel(Limit.SESSIONS), use.sessions());
        json.put(camel(Limit.SUBSCRIPTIONS), use.subscriptions() + use.transientSubscriptions());
        json.put(camel(Limit.RETAINED_MESSAGES), use.retainedMessages());
        json.put(camel(Limit.RETAINED_BYTES), use.retainedBytes());
        json.put(camel(Limit.QUEUED_BYTES), use.queuedBytes());
        return json;
    }

    /** An object as an answer has it. */
    static Map<String, @Nullable Object> of(SecurityObject object) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", object.id());
        switch (object) {
            case StoredUser user -> {
                json.put("realm", user.realm());
                json.put("name", user.name());
                json.put("hasPassword", user.passwordHash() != null);
                json.put("groups", user.groups());
                json.put("tenant", user.tenant());
                json.put("kind", user.kind() == null ? null : word(user.kind()));
                json.put("attributes", new TreeMap<>(user.attributes()));
                json.put("disabled", user.disabled());
                json.put("expires", text(user.expires()));
                if (!user.rules().isEmpty()) {
                    json.put(
                            "rules", user.rules().stream().map(ObjectJson::rule).toList());
                }
            }
            case DeviceToken token -> {
                json.put("user", token.user());
                json.put("description", token.description());
                json.put("expires", text(token.expires()));
            }
            case StoredRuleSet set -> {
                json.put("order", set.order());
                json.put("for", new TreeMap<>(set.audience()));
                json.put("rules", set.rules().stream().map(ObjectJson::rule).toList());
            }
            case Ban ban -> {
                json.put(camel(ban.subject()), ban.value());
                json.put("reason", ban.reason());
                json.put("expires", text(ban.expires()));
                json.put("disconnect", ban.disconnect());
                json.put("automatic", ban.isAutomatic());
            }
            case TenantLimits tenant ->
                json.put(
                        "limits",
                        tenant.limits().entrySet().stream()
                                .collect(Collectors.toMap(
                                        limit -> camel(limit.getKey()),
                                        Map.Entry::getValue,
                                        (a, _) -> a,
                                        TreeMap::new)));
        }
        return json;
    }

    /**
     * The object that a body describes, but for a user's password.
     *
     * @param before what is there, null for nothing
     * @throws ApiProblem when it is not well made
     * @throws IllegalArgumentException when it is not well made, in words
     */
    static SecurityObject read(SecurityTable table, String id, JsonFields body, @Nullable SecurityObject before) {
        body.ignore("id", "changed", "etag", "used");
        SecurityObject read = switch (table) {
            case USERS -> user(id, body, before instanceof StoredUser user ? user : null);
            case RULES -> rules(id, body);
            case BANS -> ban(id, body);
            case TENANTS -> tenant(id, body);
            case TOKENS -> throw ApiProblem.bad("tokens are made by POST, and are not changed");
        };
        body.nothingElse();
        return read;
    }

    private static StoredUser user(String id, JsonFields body, @Nullable StoredUser before) {
        int colon = id.indexOf(':');
        if (colon < 1) {
            throw ApiProblem.bad("the id of a user is REALM:NAME");
        }
        body.ignore("realm", "name", "hasPassword", "password");
        return new StoredUser(
                id.substring(0, colon),
                id.substring(colon + 1),
                before == null ? new SecureRandom().nextLong() >>> 1 : before.serial(),
                hash(body, before),
                body.texts("groups"),
                body.text("tenant"),
                kind(body.text("kind")),
                body.textsByName("attributes"),
                body.flag("disabled"),
                body.time("expires"),
                ownRules(body));
    }

    private static List<StoredRuleSet.Line> ownRules(JsonFields body) {
        boolean isGiven = body.has("rules");
        List<StoredRuleSet.Line> lines =
                body.objects("rules").stream().map(ObjectJson::line).toList();
        if (isGiven && lines.isEmpty()) {
            throw ApiProblem.bad("rules is empty; leave it out for no rules of the user's own");
        }
        return lines;
    }

    /** Without a word of it the password stays, null takes it away. */
    private static @Nullable String hash(JsonFields body, @Nullable StoredUser before) {
        String given = body.text("passwordHash");
        if (given == null) {
            boolean isTaken = body.has("password") || body.has("passwordHash");
            return before == null || isTaken ? null : before.passwordHash();
        }
        if (body.has("password")) {
            throw ApiProblem.bad("there must be password or passwordHash, not both");
        }
        try {
            PasswordHash _ = PasswordHash.parse(given);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("passwordHash " + e.getMessage(), e);
        }
        return given;
    }

    /** The kind of clients that a word stands for; null for none. */
    static @Nullable ClientKind kind(@Nullable String word) {
        if (word == null) {
            return null;
        }
        return Arrays.stream(ClientKind.values())
                .filter(kind -> word(kind).equals(word))
                .findAny()
                .orElseThrow(() -> ApiProblem.bad("kind must be device, application or small-application"));
    }

    /** SMALL_APPLICATION is small-application. */
    static String word(ClientKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static StoredRuleSet rules(String id, JsonFields body) {
        Integer order = body.smallNumber("order");
        JsonFields whom = body.object("for");
        Map<String, List<String>> audience = new LinkedHashMap<>();
        if (whom != null) {
            whom.names().forEach(name -> audience.put(name, whom.texts(name)));
        }
        List<StoredRuleSet.Line> lines =
                body.objects("rules").stream().map(ObjectJson::line).toList();
        return new StoredRuleSet(id, order == null ? 0 : order, audience, lines);
    }

    private static StoredRuleSet.Line line(JsonFields rule) {
        String allow = rule.text("allow");
        String deny = rule.text("deny");
        if ((allow == null) == (deny == null)) {
            throw rule.wrong("must have either allow or deny");
        }
        String action = allow == null ? Objects.requireNonNull(deny) : allow;
        String topic = rule.textThatMustBe("topic");
        Integer maxQos = rule.smallNumber("max-qos");
        Boolean retain = rule.optionalFlag("retain");
        rule.nothingElse();
        try {
            return new StoredRuleSet.Line(allow != null, action, topic, maxQos, retain);
        } catch (IllegalArgumentException wrong) {
            throw rule.wrongField(String.valueOf(wrong.getMessage()));
        }
    }

    private static Map<String, @Nullable Object> rule(StoredRuleSet.Line line) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put(line.allows() ? "allow" : "deny", line.action());
        json.put("topic", line.topic());
        if (line.maxQos() != null) {
            json.put("max-qos", line.maxQos());
        }
        if (line.retain() != null) {
            json.put("retain", line.retain());
        }
        return json;
    }

    private static Ban ban(String id, JsonFields body) {
        if (Ban.isAutomatic(id)) {
            throw ApiProblem.bad("such ids are those of automatic bans, which can only be lifted, by DELETE");
        }
        body.ignore("automatic");
        Map<Ban.Subject, String> given = new EnumMap<>(Ban.Subject.class);
        for (Ban.Subject subject : Ban.Subject.values()) {
            String value = body.text(camel(subject));
            if (value != null) {
                given.put(subject, value);
            }
        }
        if (given.size() != 1) {
            throw ApiProblem.bad("a ban must have one of address, clientId, user and tenant");
        }
        Map.Entry<Ban.Subject, String> one = given.entrySet().iterator().next();
        return new Ban(
                id, one.getKey(), one.getValue(), body.text("reason"), body.time("expires"), body.flag("disconnect"));
    }

    private static TenantLimits tenant(String id, JsonFields body) {
        Map<Limit, Long> limits = new EnumMap<>(Limit.class);
        JsonFields given = body.object("limits");
        if (given != null) {
            for (Limit limit : Limit.values()) {
                Long value = given.number(camel(limit));
                if (value != null) {
                    limits.put(limit, value);
                }
            }
            given.nothingElse();
        }
        return new TenantLimits(id, limits);
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    /** RETAINED_BYTES is retainedBytes. */
    private static String camel(Enum<?> constant) {
        StringBuilder text = new StringBuilder();
        for (String word : constant.name().toLowerCase(Locale.ROOT).split("_", -1)) {
            text.append(text.isEmpty() ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
        }
        return text.toString();
    }
}
