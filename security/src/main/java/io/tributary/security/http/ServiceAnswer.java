package io.tributary.security.http;

import com.nimbusds.jose.util.JSONObjectUtils;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
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
import org.jspecify.annotations.Nullable;

/**
 * What the service says of a client.
 *
 * @param verdict yes, no, or not mine
 * @param principal who it is, in no realm yet; null but for a yes
 * @param kind what kind of client it is; null to leave it to the rules
 * @param end when that is over; null for never
 * @param attributes what else is known of it
 * @param keep how long the answer may be kept
 */
record ServiceAnswer(
        Verdict verdict,
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
     * Reads an answer.
     *
     * @throws IllegalArgumentException when it is not what docs/security.md says
     */
    static ServiceAnswer read(byte[] body) {
        Map<String, Object> json;
        try {
            json = JSONObjectUtils.parse(new String(body, StandardCharsets.UTF_8));
        } catch (ParseException | RuntimeException e) {
            throw new IllegalArgumentException("is not a JSON object", e);
        }
        Verdict verdict = verdict(json.get("result"));
        Duration keep = Duration.ofSeconds(Math.clamp(number(json, "cacheSeconds", 0), 0, LONGEST_KEPT_SECONDS));
        if (verdict != Verdict.ACCEPT) {
            return new ServiceAnswer(verdict, null, null, null, Map.of(), keep);
        }
        long end = Math.clamp(number(json, "end", LAST_SECOND), 0, LAST_SECOND);
        ServiceAnswer answer = new ServiceAnswer(
                verdict,
                principal(json),
                kind(text(json, "kind")),
                end == LAST_SECOND ? null : Instant.ofEpochSecond(end),
                attributes(json.get("attributes")),
                keep);
        Accepted _ = new Accepted(answer.kind, answer.known(), answer.end, answer.attributes); // it fits
        return answer;
    }

    /** The answer to the client. */
    Result result(String realm, InstantSource clock) {
        return switch (verdict) {
            case NOT_MINE -> NotMine.PLAIN;
            case REFUSE -> new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "the service says no");
            case ACCEPT -> {
                if (end != null && !clock.instant().isBefore(end)) {
                    yield new Refused(ReasonCode.NOT_AUTHORIZED, "what the service granted is over");
                }
                Principal who = known();
                yield new Accepted(
                        kind,
                        new Principal(realm, who.name(), who.userName(), who.tenant(), who.groups(), null),
                        end,
                        attributes);
            }
        };
    }

    private Principal known() {
        return principal == null ? Principal.ANONYMOUS : principal;
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

    private static Principal principal(Map<String, Object> json) {
        String name = text(json, "name");
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException("has no name");
        }
        List<String> groups = new ArrayList<>();
        if (json.get("groups") instanceof List<?> list) {
            list.forEach(group -> groups.add(String.valueOf(group)));
        } else if (json.get("groups") != null) {
            throw new IllegalArgumentException("has groups that are no list");
        }
        return new Principal("", name, text(json, "userName"), text(json, "tenant"), groups, null);
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
