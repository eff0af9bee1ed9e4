package io.tributary.common.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a principal in a record from format {@value #FIRST} on: which parts it has, as the bits of a number,
 * and the parts. {@link Principal#ANONYMOUS} and an unknown principal are one byte each.
 *
 * <p>An owner keeps one for each session. So a text that is equal to another one is in memory once: a name that is the
 * client identifier or the user name; and realms, tenants, groups and rules, of which there are few.
 */
public final class PrincipalFormat {
    /** The first format whose records have it. */
    public static final int FIRST = 2;

    /** The first format whose records have the rules of its own; in older ones they are missing. */
    private static final int FIRST_WITH_RULES = 3;

    private static final int KNOWN = 0x01;
    private static final int HAS_REALM = 0x02;
    private static final int HAS_NAME = 0x04;
    private static final int NAMED_AS_CLIENT = 0x08;
    private static final int USER_NAME_IS_NAME = 0x10;
    private static final int COMMON_NAME_IS_NAME = 0x20;
    private static final int HAS_TENANT = 0x40;
    private static final int HAS_USER_NAME = 0x80;
    private static final int HAS_COMMON_NAME = 0x100;
    private static final int HAS_GROUPS = 0x200;
    private static final int HAS_RULES = 0x400;
    private static final int ALL = 0x7FF;

    private PrincipalFormat() {}

    /**
     * Writes a principal.
     *
     * @param principal the principal, null when it is not known
     * @param clientId the client identifier that the record is about
     * @param format that of the record
     */
    public static void write(ByteWriter writer, @Nullable Principal principal, String clientId, int format) {
        if (principal == null) {
            writer.writeNumber(0);
            return;
        }
        int parts = partsOf(principal, clientId);
        parts |= principal.rules().isEmpty() || format < FIRST_WITH_RULES ? 0 : HAS_RULES;
        writer.writeNumber(parts);
        writeIf(writer, parts, HAS_REALM, principal.realm());
        writeIf(writer, parts, HAS_NAME, principal.name());
        writeIf(writer, parts, HAS_USER_NAME, principal.userName());
        writeIf(writer, parts, HAS_TENANT, principal.tenant());
        if (has(parts, HAS_GROUPS)) {
            writer.writeList(principal.groups(), ByteWriter::writeString);
        }
        writeIf(writer, parts, HAS_COMMON_NAME, principal.commonName());
        writeIf(writer, parts, HAS_RULES, principal.rules());
    }

    private static int partsOf(Principal principal, String clientId) {
        String name = principal.name();
        int parts = KNOWN;
        parts |= principal.realm().isEmpty() ? 0 : HAS_REALM;
        if (!name.isEmpty()) {
            parts |= name.equals(clientId) ? NAMED_AS_CLIENT : HAS_NAME;
        }
        parts |= partOf(principal.userName(), name, USER_NAME_IS_NAME, HAS_USER_NAME);
        parts |= partOf(principal.commonName(), name, COMMON_NAME_IS_NAME, HAS_COMMON_NAME);
        parts |= principal.tenant() == null ? 0 : HAS_TENANT;
        return parts | (principal.groups().isEmpty() ? 0 : HAS_GROUPS);
    }

    private static int partOf(@Nullable String text, String name, int isName, int isThere) {
        if (text == null) {
            return 0;
        }
        return text.equals(name) ? isName : isThere;
    }

    private static void writeIf(ByteWriter writer, int parts, int part, @Nullable String text) {
        if (has(parts, part) && text != null) {
            writer.writeString(text);
        }
    }

    /**
     * Reads what {@link #write} wrote about the same client identifier.
     *
     * @throws UnreadableRecordException when the bytes are no principal
     */
    public static @Nullable Principal read(ByteReader reader, String clientId) {
        int parts = reader.readInt();
        if (parts == 0) {
            return null;
        }
        if (parts == KNOWN) {
            return Principal.ANONYMOUS;
        }
        if (!has(parts, KNOWN) || (parts & ~ALL) != 0) {
            throw new UnreadableRecordException("a principal with the parts " + parts);
        }
        String realm = has(parts, HAS_REALM) ? reader.readString().intern() : "";
        String name = has(parts, HAS_NAME) ? reader.readString() : has(parts, NAMED_AS_CLIENT) ? clientId : "";
        String userName = has(parts, HAS_USER_NAME) ? reader.readString() : null;
        String tenant = has(parts, HAS_TENANT) ? reader.readString().intern() : null;
        List<String> groups =
                has(parts, HAS_GROUPS) ? reader.readList(one -> one.readString().intern()) : List.of();
        String commonName = has(parts, HAS_COMMON_NAME) ? reader.readString() : null;
        String rules = has(parts, HAS_RULES) ? reader.readString().intern() : "";
        try {
            return new Principal(
                    realm,
                    name,
                    has(parts, USER_NAME_IS_NAME) ? name : userName,
                    tenant,
                    groups,
                    has(parts, COMMON_NAME_IS_NAME) ? name : commonName,
                    rules);
        } catch (IllegalArgumentException tooLong) {
            throw new UnreadableRecordException("a principal that cannot be: " + tooLong.getMessage());
        }
    }

    private static boolean has(int parts, int part) {
        return (parts & part) != 0;
    }
}
