package io.tributary.security.http;

import com.nimbusds.jose.util.JSONObjectUtils;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the service says of a client.
 *
 * @param verdict yes, no, or not mine
 * @param why of a no, in words for operators
 * @param principal who it is; null but for a yes
 * @param kind what kind of client it is; null to leave it to the rules
 * @param end when that is over; null for never
 * @param attributes what else is known of it
 * @param keep how long the answer may be kept
 */
record ServiceAnswer(
        Verdict verdict,
        String why,
        @Nullable Principal principal,
        @Nullable ClientKind kind,
        @Nullable Instant end,
        Map<String, String> attributes,
        Duration keep) {
    private static final long LONGEST_KEPT_SECONDS = Duration.ofHours(24).toSeconds();
    private static final long LAST_SECOND = 253_402_300_799L; // of the year 9999

    /** What it comes to. */
    enum Verdict {
        ACCEPT,
        REFUSE,
        NOT_MINE
    }

    /**
     * Reads an answer. A yes with more than a principal can have, or with rules that are none, is a no.
     *
     * @throws IllegalArgumentException when it is not what docs/security.md says
     */
    static ServiceAnswer read(byte[] body, String realm) {
        Map<String, Object> json;
        try {
            json = JSONObjectUtils.parse(new String(body, StandardCharsets.UTF_8));
        } catch (ParseException | RuntimeException e) {
            throw new IllegalArgumentException("is not a JSON object", e);
        }
        Verdict verdict = verdict(json.get("result"));
        Duration keep = Duration.ofSeconds(Math.clamp(number(json, "cacheSeconds", 0), 0, LONGEST_KEPT_SECONDS));
        if (verdict != Verdict.ACCEPT) {
            return new ServiceAnswer(verdict, "the service says no", null, null, null, Map.of(), keep);
        }
        String name = text(json, "name");
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException("has no name");
        }
        String userName = text(json, "userName");
        String tenant = text(json, "tenant");
        List<String> groups = groups(json.get("groups"));
        ClientKind kind = kind(text(json, "kind"));
        Map<String, String> attributes = attributes(json.get("attributes"));
        long end = Math.clamp(number(json, "end", LAST_SECOND), 0, LAST_SECOND);
        Instant until = end == LAST_SECOND ? null : Instant.ofEpochSecond(end);
        try {
            Principal who = new Principal(realm, name, userName, tenant, groups, null, rules(json.get("rules")));
            Accepted _ = new Accepted(kind, who, until, attributes); // it fits
            return new ServiceAnswer(verdict, "", who, kind, until, attributes, keep);
        } catch (IllegalArgumentException e) {
            return new ServiceAnswer(
                    Verdict.REFUSE, "the service's answer: " + e.getMessage(), null, null, null, Map.of(), keep);
        }
    }

    /** The answer to the client. */
    Result result(InstantSource clock) {
        return switch (verdict) {
            case NOT_MINE -> NotMine.PLAIN;
            case REFUSE -> new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, why);
            case ACCEPT -> {
                if (end != null && !clock.instant().isBefore(end)) {
                    yield new Refused(ReasonCode.NOT_AUTHORIZED, "what the service granted is over");
                }
                yield new Accepted(kind, Objects.requireNonNull(principal), end, attributes);
            }
        };
    }

    private static Verdict verdict(@Nullable Object result) {
        if ("accept".equals(result)) {
            return Verdict.ACCEPT;
        }
        if ("refuse".equals(result)) {
            return Verdict.REFUSE;
        }
        if ("not-mine".equals(result)) {
            return Verdict.NOT_MINE;
        }
        throw new IllegalArgumentException("has no result of accept, refuse, not-mine");
    }

    private static List<String> groups(@Nullable Object value) {
        List<String> groups = new ArrayList<>();
        if (value instanceof List<?> list && list.stream().noneMatch(ServiceAnswer::isNoText)) {
            list.forEach(group -> groups.add(String.valueOf(group)));
        } else if (value != null) {
            throw new IllegalArgumentException("has groups that are no list of texts");
        }
        return groups;
    }

    private static boolean isNoText(@Nullable Object value) {
        return value == null || value instanceof List<?> || value instanceof Map<?, ?>;
    }

    private static String rules(@Nullable Object value) {
        return value == null ? "" : OwnRules.text(OwnRules.parse(value));
    }

    private static @Nullable ClientKind kind(@Nullable String text) {
        return switch (text) {
            case null -> null;
            case "device" -> ClientKind.DEVICE;
            case "application" -> ClientKind.APPLICATION;
            case "small-application" -> ClientKind.SMALL_APPLICATION;
            default -> throw new IllegalArgumentException("has a kind that is none");
        };
    }

    private static Map<String, String> attributes(@Nullable Object value) {
        Map<String, String> attributes = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> attributes.put(String.valueOf(key), String.valueOf(each)));
        } else if (value != null) {
            throw new IllegalArgumentException("has attributes that are no object");
        }
        return attributes;
    }

    private static @Nullable String text(Map<String, Object> json, String name) {
        Object value = json.get(name);
        if (value != null && !(value instanceof String)) {
            throw new IllegalArgumentException("has a " + name + " that is no text");
        }
        return (String) value;
    }

    private static long number(Map<String, Object> json, String name, long otherwise) {
        Object value = json.get(name);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Number number)) {
            throw new IllegalArgumentException("has a " + name + " that is no number");
        }
        return number.longValue();
    }
}
