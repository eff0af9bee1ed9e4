package io.tributary.broker.security.store;

import io.tributary.common.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit log: who changed what, from where. Of an object there are only digests, so that no entry has a
 * secret in it. It is written as JSON, for the log is also there for others to read.
 *
 * @param action {@code put}, {@code remove}; {@code failed} after one of them that was not made, or may not have been
 * @param before the digest of the object that was there, null for none
 * @param after the digest of the one that is to be there, null for none
 */
record AuditEntry(
        String by,
        String from,
        String action,
        SecurityTable table,
        String id,
        @Nullable String before,
        @Nullable String after) {
    private static final int DIGEST_BYTES = 16;

    /** That of a change. */
    static AuditEntry of(Change change, String action, byte @Nullable [] before) {
        return new AuditEntry(
                change.by(), change.from(), action, change.table(), change.id(), digest(before), digest(change.body()));
    }

    /** That of a change that is made. */
    static AuditEntry of(Change change, byte @Nullable [] before) {
        return of(change, change.body() == null ? "remove" : "put", before);
    }

    /**
     * The JSON text of what a node took from clients.
     *
     * @param details what there is to say besides the action, by names of fields
     */
    static byte[] ofTaken(String node, String action, Map<String, String> details) {
        return ofAction(Change.BROKER, node, action, details);
    }

    /**
     * The JSON text of what somebody did that changes no object.
     *
     * @param details what there is to say besides, by names of fields
     */
    static byte[] ofAction(String by, String from, String action, Map<String, String> details) {
        Map<String, @Nullable String> fields = new LinkedHashMap<>();
        fields.put("by", by);
        fields.put("from", from);
        fields.put("action", action);
        fields.putAll(details);
        return json(fields);
    }

    /** Its JSON text. */
    byte[] encode() {
        Map<String, @Nullable String> fields = new LinkedHashMap<>();
        fields.put("by", by);
        fields.put("from", from);
        fields.put("action", action);
        fields.put("table", table.mapName());
        fields.put("id", id);
        fields.put("before", before);
        fields.put("after", after);
        return json(fields);
    }

    private static byte[] json(Map<String, @Nullable String> fields) {
        return fields.entrySet().stream()
                .filter(field -> field.getValue() != null)
                .map(field -> quoted(field.getKey()) + ":" + quoted(String.valueOf(field.getValue())))
                .collect(Collectors.joining(",", "{", "}"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\' || c < ' ') {
                json.append("\\u").append(HexFormat.of().toHexDigits((char) c));
            } else {
                json.append((char) c);
            }
        });
        return json.append('"').toString();
    }

    private static @Nullable String digest(byte @Nullable [] body) {
        return body == null ? null : HexFormat.of().formatHex(Sha256.of(body), 0, DIGEST_BYTES);
    }
}
