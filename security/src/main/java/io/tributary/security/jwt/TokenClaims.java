package io.tributary.security.jwt;

import com.nimbusds.jwt.JWTClaimsSet;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.common.event.ClientKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which claims of a token say what. A name with dots, {@code realm_access.roles}, is a claim within a claim, unless
 * there is a claim with just that name.
 *
 * @param name the claim with the principal's name
 * @param clientId the claim that must be equal to the client identifier; null for none
 * @param userName the claim with the user name; null for none
 * @param tenant the claim with the tenant; null for none
 * @param groups the claim with the groups, a list or a text with spaces between; null for none
 * @param kind the claim with {@code device}, {@code application} or {@code small-application}; null for none
 * @param rules the claim with rules of the client's own, a list as {@link OwnRules#parse} takes it; null for none
 * @param attributes the claims that become attributes, as far as the token has them
 */
public record TokenClaims(
        String name,
        @Nullable String clientId,
        @Nullable String userName,
        @Nullable String tenant,
        @Nullable String groups,
        @Nullable String kind,
        @Nullable String rules,
        List<String> attributes) {

    /** The subject of the token is who it is, and nothing else counts. */
    public static final TokenClaims SUBJECT = new TokenClaims("sub", null, null, null, null, null, null, List.of());

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException when a client could not have all the attributes
     */
    public TokenClaims {
        attributes = List.copyOf(attributes);
        Accepted _ = new Accepted(
                null,
                null,
                null,
                attributes.stream().distinct().collect(Collectors.toMap(Function.identity(), _ -> "")));
    }

    /** The text of a claim; null when there is none, or no claim is asked for. */
    static @Nullable String text(JWTClaimsSet claims, @Nullable String claim) {
        Object value = claim == null ? null : value(claims.getClaims(), claim);
        return isText(value) ? String.valueOf(value) : null;
    }

    private static boolean isText(@Nullable Object value) {
        return value instanceof String || value instanceof Number || value instanceof Boolean;
    }

    /**
     * The tenant; null for none.
     *
     * @throws IllegalArgumentException when the claim is something else than a text: its client would be confined to
     *     nothing
     */
    @Nullable
    String tenantIn(JWTClaimsSet claims) {
        String text = text(claims, tenant);
        if (text == null && tenant != null && isThere(claims.getClaims(), tenant)) {
            throw new IllegalArgumentException("the claim " + tenant + " is no text");
        }
        return text;
    }

    /** Whether there is such a claim, or something without claims where it would be in. */
    private static boolean isThere(Map<?, ?> claims, String path) {
        int dot = path.indexOf('.');
        if (dot < 1 || claims.get(path) != null) {
            return claims.get(path) != null;
        }
        Object outer = claims.get(path.substring(0, dot));
        return outer instanceof Map<?, ?> inner ? isThere(inner, path.substring(dot + 1)) : outer != null;
    }

    /**
     * The groups; none without the claim.
     *
     * @throws IllegalArgumentException when the claim is neither a list of texts nor a text: a rule may deny by a group
     */
    List<String> groupsIn(JWTClaimsSet claims) {
        Object value = groups == null ? null : value(claims.getClaims(), groups);
        List<String> found = new ArrayList<>();
        if (value instanceof List<?> list && list.stream().allMatch(TokenClaims::isText)) {
            list.forEach(each -> found.add(String.valueOf(each)));
        } else if (isText(value)) {
            String text = String.valueOf(value).strip();
            found.addAll(text.isEmpty() ? List.of() : List.of(text.split("\\s+", -1)));
        } else if (groups != null && isThere(claims.getClaims(), groups)) {
            throw new IllegalArgumentException("the claim " + groups + " is neither a list of texts nor a text");
        }
        return found;
    }

    /** The kind of client; null when the token does not say. */
    @Nullable
    ClientKind kindIn(JWTClaimsSet claims) {
        String text = text(claims, kind);
        return text == null
                ? null
                : switch (text.toLowerCase(Locale.ROOT)) {
                    case "device" -> ClientKind.DEVICE;
                    case "application" -> ClientKind.APPLICATION;
                    case "small-application" -> ClientKind.SMALL_APPLICATION;
                    default -> throw new IllegalArgumentException("the claim " + kind + " is no kind of client");
                };
    }

    /**
     * The rules of its own; a token without the claim allows nothing, where the claim is asked for.
     *
     * @throws IllegalArgumentException when the claim is no list of rules
     */
    String rulesIn(JWTClaimsSet claims) {
        Object value = rules == null ? null : value(claims.getClaims(), rules);
        if (value == null) {
            return rules == null ? "" : OwnRules.NOTHING;
        }
        try {
            return OwnRules.text(OwnRules.parse(value));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the claim " + rules + ": " + e.getMessage(), e);
        }
    }

    Map<String, String> attributesIn(JWTClaimsSet claims) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String attribute : attributes) {
            String text = text(claims, attribute);
            if (text != null) {
                found.put(attribute, text);
            }
        }
        return found;
    }

    private static @Nullable Object value(Map<String, ?> claims, String path) {
        Object direct = claims.get(path);
        int dot = path.indexOf('.');
        if (direct != null || dot < 1 || !(claims.get(path.substring(0, dot)) instanceof Map<?, ?> inner)) {
            return direct;
        }
        Map<String, Object> named = new LinkedHashMap<>();
        inner.forEach((key, each) -> named.put(String.valueOf(key), each));
        return value(named, path.substring(dot + 1));
    }
}
