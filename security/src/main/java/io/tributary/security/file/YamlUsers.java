package io.tributary.security.file;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.common.event.ClientKind;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.ScramCredential;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Users written as YAML: a map {@code users} from names to what each has. */
final class YamlUsers {
    private static final int SHA256_HEX_DIGITS = 64;
    private static final int MOST_CODE_POINTS = 512 << 20;
    private static final Set<String> KEYS =
            Set.of("password", "tokens", "scram", "groups", "tenant", "kind", "attributes", "rules");

    private YamlUsers() {}

    static Map<String, User> parse(String text) {
        Map<String, User> users = new LinkedHashMap<>();
        map(map(load(text), "the file").get("users"), "users").forEach((name, has) -> {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("a user without a name");
            }
            users.put(name, user(name, map(has, "user " + name)));
        });
        return users;
    }

    private static @Nullable Object load(String text) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        options.setCodePointLimit(MOST_CODE_POINTS);
        options.setMaxAliasesForCollections(0);
        try {
            return new Yaml(new SafeConstructor(options)).load(text);
        } catch (MarkedYAMLException e) { // its own words show the lines, secrets included
            String place = e.getProblemMark() == null
                    ? ""
                    : "line " + (e.getProblemMark().getLine() + 1) + ", column "
                            + (e.getProblemMark().getColumn() + 1) + " ";
            throw new IllegalArgumentException(place + "is not YAML that can be read here");
        } catch (YAMLException e) {
            throw new IllegalArgumentException("is not YAML that can be read here");
        }
    }

    private static User user(String name, Map<String, ?> has) {
        String who = "user " + name + ": ";
        has.keySet().stream().filter(key -> !KEYS.contains(key)).findFirst().ifPresent(key -> {
            throw new IllegalArgumentException(who + "there is no '" + key + "'; there are " + sorted(KEYS));
        });
        User user = new User(
                name,
                has.get("password") == null ? null : password(who, text(has.get("password"), who + "password")),
                tokens(who, texts(has.get("tokens"), who + "tokens")),
                scram(who, texts(has.get("scram"), who + "scram")),
                texts(has.get("groups"), who + "groups"),
                has.get("tenant") == null ? null : text(has.get("tenant"), who + "tenant"),
                has.get("kind") == null ? null : kind(who, text(has.get("kind"), who + "kind")),
                attributes(who, has.get("attributes")),
                rules(who, has.get("rules")));
        try {
            Accepted _ = new Accepted(null, user.principal(""), null, user.attributes()); // it fits
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(who + e.getMessage(), e);
        }
        return user;
    }

    private static PasswordHash password(String who, String text) {
        try {
            return PasswordHash.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(who + "password " + e.getMessage(), e);
        }
    }

    private static List<byte[]> tokens(String who, List<String> texts) {
        return texts.stream()
                .map(text -> {
                    if (!text.matches("[0-9a-fA-F]{" + SHA256_HEX_DIGITS + "}")) {
                        throw new IllegalArgumentException(
                                who + "each of tokens must be a SHA-256, as 64 hexadecimal digits");
                    }
                    return HexFormat.of().parseHex(text);
                })
                .toList();
    }

    private static Map<String, ScramCredential> scram(String who, List<String> texts) {
        Map<String, ScramCredential> byMechanism = new TreeMap<>();
        for (String text : texts) {
            try {
                ScramCredential credential = ScramCredential.parse(text);
                if (byMechanism.put(credential.mechanism().method(), credential) != null) {
                    throw new IllegalArgumentException("is there twice for a mechanism");
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(who + "scram " + e.getMessage(), e);
            }
        }
        return byMechanism;
    }

    private static ClientKind kind(String who, String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "device" -> ClientKind.DEVICE;
            case "application" -> ClientKind.APPLICATION;
            case "small-application" -> ClientKind.SMALL_APPLICATION;
            default ->
                throw new IllegalArgumentException(
                        who + "kind '" + text + "' is not one of device, application, small-application");
        };
    }

    private static Map<String, String> attributes(String who, @Nullable Object value) {
        Map<String, String> attributes = new TreeMap<>();
        if (value != null) {
            map(value, who + "attributes")
                    .forEach((key, each) -> attributes.put(key, text(each, who + "attributes." + key)));
        }
        return attributes;
    }

    private static String rules(String who, @Nullable Object value) {
        try {
            return value == null ? "" : OwnRules.text(OwnRules.parse(value));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(who + e.getMessage(), e);
        }
    }

    private static Map<String, ?> map(@Nullable Object value, String what) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException(what + " must be a map");
        }
        Map<String, Object> texts = new LinkedHashMap<>();
        map.forEach((key, each) -> texts.put(String.valueOf(key), each));
        return texts;
    }

    private static List<String> texts(@Nullable Object value, String what) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw new IllegalArgumentException(what + " must be a list");
        }
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(text(each, "each of " + what)));
        return texts;
    }

    private static String text(@Nullable Object value, String what) {
        if (value instanceof String || value instanceof Number || value instanceof Boolean) {
            return String.valueOf(value);
        }
        throw new IllegalArgumentException(what + " must be a text");
    }

    private static String sorted(Set<String> keys) {
        return String.join(", ", keys.stream().sorted().toList());
    }
}
