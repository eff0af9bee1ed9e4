package io.tributary.broker.security.store;

import io.tributary.broker.security.rules.AddressRange;
import io.tributary.common.digest.Sha256;
import io.tributary.common.event.TenantNames;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who may not connect, whatever authenticators say.
 *
 * @param name its name
 * @param subject what the value is
 * @param value an address or a range of them, a client identifier, a user name, or a tenant
 * @param reason why, for people; null without
 * @param expires when it is over, null for never
 * @param disconnect whether connections that are there are closed
 */
public record Ban(
        String name,
        Subject subject,
        String value,
        @Nullable String reason,
        @Nullable Instant expires,
        boolean disconnect)
        implements SecurityObject {
    private static final int MOST_VALUE_BYTES = 65_535; // of a client identifier
    private static final String AUTOMATIC = "automatic-";
    private static final int ID_BYTES = 16;

    /** What a ban is about. */
    public enum Subject {
        /** An address, or a range of them (CIDR). */
        ADDRESS(0),
        /** A client identifier. */
        CLIENT_ID(1),
        /** A user name in CONNECT, or the name of a principal of any realm. */
        USER(2),
        /** The tenant of a principal. */
        TENANT(3);

        private final int code;

        Subject(int code) {
            this.code = code;
        }

        /** The number that stands for it in records: never changed, never used again. */
        int code() {
            return code;
        }

        /** What the API calls it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Checks what is given. */
    public Ban {
        SecurityObject.checkName("the name", name);
        SecurityObject.checkText("the " + subject.text(), value, MOST_VALUE_BYTES);
        SecurityObject.checkText("the reason", reason, MOST_TEXT_BYTES);
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the " + subject.text() + " is empty");
        }
        if (subject == Subject.ADDRESS) {
            AddressRange _ = AddressRange.parse(value);
        } else if (subject == Subject.TENANT) {
            TenantNames.check(value);
        }
    }

    /**
     * One that a node makes by itself, for a while; who is banned twice has one.
     *
     * @param cause what for
     */
    public static Ban automatic(Subject subject, String value, String cause, Instant expires) {
        return new Ban(automaticId(subject, value), subject, value, cause, expires, false);
    }

    /** The id of such a ban. */
    public static String automaticId(Subject subject, String value) {
        byte[] who = Sha256.of((subject.text() + ':' + value).getBytes(StandardCharsets.UTF_8));
        return AUTOMATIC + HexFormat.of().formatHex(who, 0, ID_BYTES);
    }

    /** Whether the ban with that id is one that a node has made by itself. */
    public static boolean isAutomatic(String id) {
        return id.startsWith(AUTOMATIC);
    }

    /** Whether a node has made it by itself. */
    public boolean isAutomatic() {
        return isAutomatic(name);
    }

    @Override
    public String id() {
        return name;
    }

    @Override
    public SecurityTable table() {
        return SecurityTable.BANS;
    }

    /** Whether it holds at a time. */
    public boolean holdsAt(Instant now) {
        return expires == null || now.isBefore(expires);
    }
}
