package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.common.digest.Sha256;
import io.tributary.common.event.TenantNames;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The names of topics that are named after a client or a group: a prefix and the identifier, of whose UTF-8 bytes all
 * but {@code [a-zA-Z0-9-]} are written {@code _xx} in hexadecimal. So '.' and '_' are escaped, too: Kafka takes names
 * that differ in these alone for a collision. Those of a tenant have the tenant, written alike, and {@code _-} before
 * the identifier. A name that would be too long for Kafka ends in {@code __} and a digest instead.
 */
final class TopicNames {
    private static final int MAX_LENGTH = 249;
    private static final int DIGEST_CHARACTERS = 32;
    private static final String DIGEST_MARK = "__";
    private static final String TENANT_END = "_-";
    private static final HexFormat HEX = HexFormat.of();

    private TopicNames() {}

    /** The topic that clients with little traffic share. */
    static String shared(KafkaConfig config) {
        return config.topicPrefix() + ".apps";
    }

    /** What the names of clients' own topics begin with. */
    static String ownPrefix(KafkaConfig config) {
        return config.topicPrefix() + ".app.";
    }

    /** What the names of groups' topics begin with. */
    static String groupPrefix(KafkaConfig config) {
        return config.topicPrefix() + ".group.";
    }

    /** Whose topic it is: an identifier as clients know it, and its tenant, null for none. */
    record Named(@Nullable String tenant, String identifier) {}

    /** The name of a topic; different identifiers and tenants have different names. */
    static String of(String prefix, Named named) {
        byte[] utf8 = TenantNames.topic(named.tenant, named.identifier).getBytes(StandardCharsets.UTF_8);
        StringBuilder name = new StringBuilder(prefix.length() + utf8.length).append(prefix);
        if (named.tenant != null) {
            escape(named.tenant, name);
            name.append(TENANT_END);
        }
        escape(named.identifier, name);
        if (name.length() > MAX_LENGTH) {
            name.setLength(MAX_LENGTH - DIGEST_MARK.length() - DIGEST_CHARACTERS);
            name.append(DIGEST_MARK).append(HEX.formatHex(Sha256.of(utf8)), 0, DIGEST_CHARACTERS);
        }
        return name.toString();
    }

    private static void escape(String text, StringBuilder name) {
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            if (isPlain(each)) {
                name.append((char) each);
            } else {
                name.append('_').append(HEX.toHexDigits(each));
            }
        }
    }

    /** Whose a topic of this name is, or null when it is none with the prefix, or one with a digest. */
    static @Nullable Named named(String prefix, String topic) {
        int tenantEnd = topic.startsWith(prefix) ? topic.indexOf(TENANT_END, prefix.length()) : -1;
        String tenant = tenantEnd < 0 ? null : identifier(prefix, topic.substring(0, tenantEnd));
        String before = tenantEnd < 0 ? prefix : topic.substring(0, tenantEnd + TENANT_END.length());
        String identifier = identifier(before, topic);
        if (identifier == null || (tenantEnd >= 0 && (tenant == null || !TenantNames.isName(tenant)))) {
            return null;
        }
        Named named = new Named(tenant, identifier);
        return of(prefix, named).equals(topic) ? named : null; // a name that is not ours reads, but is another's
    }

    private static @Nullable String identifier(String prefix, String topic) {
        if (!topic.startsWith(prefix)) {
            return null;
        }
        byte[] utf8 = new byte[topic.length() - prefix.length()];
        int length = 0;
        for (int i = prefix.length(); i < topic.length(); i++) {
            char c = topic.charAt(i);
            if (c != '_') {
                utf8[length++] = (byte) c;
            } else if (i + 2 < topic.length() && isHex(topic.charAt(i + 1)) && isHex(topic.charAt(i + 2))) {
                utf8[length++] = (byte) HexFormat.fromHexDigits(topic, i + 1, i + 3);
                i += 2;
            } else {
                return null;
            }
        }
        return new String(Arrays.copyOf(utf8, length), StandardCharsets.UTF_8);
    }

    private static boolean isPlain(byte each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || each == '-';
    }

    private static boolean isHex(char c) {
        return HexFormat.isHexDigit(c);
    }
}
