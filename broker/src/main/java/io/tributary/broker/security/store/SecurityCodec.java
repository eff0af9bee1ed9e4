package io.tributary.broker.security.store;

import io.tributary.broker.security.store.StoredRuleSet.Line;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.UnreadableRecordException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of security objects. The format byte is with the entry that an object is in; whatever changes the bytes
 * of an object takes a new {@link io.tributary.common.event.RecordFormat}.
 */
public final class SecurityCodec {
    /** The format in which these objects came; nothing older has any. */
    public static final int FIRST_FORMAT = 3;

    private static final int SIZE_HINT = 256;
    private static final int NOTHING = 0xFF;
    private static final int DISABLED = 0x01;
    private static final int HAS_RULES = 0x02;

    private SecurityCodec() {}

    /** An object's bytes. */
    public static byte[] encode(SecurityObject object) {
        ByteWriter to = new ByteWriter(SIZE_HINT);
        switch (object) {
            case StoredUser user -> writeUser(to, user);
            case DeviceToken token -> {
                to.writeBytes(token.sha256());
                to.writeString(token.user());
                to.writeNumber(token.userSerial());
                to.writeNullableString(token.description());
                writeTime(to, token.expires());
            }
            case StoredRuleSet set -> writeRules(to, set);
            case Ban ban -> {
                to.writeString(ban.name());
                to.writeByte(ban.subject().code());
                to.writeString(ban.value());
                to.writeNullableString(ban.reason());
                writeTime(to, ban.expires());
                to.writeBoolean(ban.disconnect());
            }
            case TenantLimits tenant -> {
                to.writeString(tenant.name());
                to.writeList(List.copyOf(new TreeMap<>(tenant.limits()).entrySet()), (writer, limit) -> {
                    writer.writeByte(limit.getKey().code());
                    writer.writeNumber(limit.getValue());
                });
            }
        }
        return to.toBytes();
    }

    /**
     * The object that has these bytes.
     *
     * @throws UnreadableRecordException when they are not those of a well-made object of the table
     */
    public static SecurityObject decode(SecurityTable table, byte[] bytes) {
        ByteReader from = new ByteReader(bytes);
        try {
            SecurityObject object = switch (table) {
                case USERS -> readUser(from);
                case TOKENS ->
                    new DeviceToken(
                            from.readBytes(),
                            from.readString(),
                            from.readNumber(),
                            from.readNullableString(),
                            readTime(from));
                case RULES -> readRules(from);
                case BANS ->
                    new Ban(
                            from.readString(),
                            one(Ban.Subject.values(), Ban.Subject::code, from),
                            from.readString(),
                            from.readNullableString(),
                            readTime(from),
                            from.readBoolean());
                case TENANTS -> {
                    String name = from.readString();
                    Map<Limit, Long> limits = new TreeMap<>();
                    from.readList(each -> limits.put(one(Limit.values(), Limit::code, each), each.readNumber()));
                    yield new TenantLimits(name, limits);
                }
            };
            from.expectEnd();
            return object;
        } catch (UnreadableRecordException e) {
            throw e;
        } catch (RuntimeException e) { // whatever it is, the record is damaged
            throw new UnreadableRecordException("the record is not well made: " + e.getMessage());
        }
    }

    private static void writeUser(ByteWriter to, StoredUser user) {
        to.writeString(user.realm());
        to.writeString(user.name());
        to.writeNumber(user.serial());
        to.writeNullableString(user.passwordHash());
        to.writeList(user.groups(), ByteWriter::writeString);
        to.writeNullableString(user.tenant());
        to.writeByte(user.kind() == null ? NOTHING : user.kind().code());
        writeTexts(to, user.attributes());
        to.writeByte((user.disabled() ? DISABLED : 0) | (user.rules().isEmpty() ? 0 : HAS_RULES));
        writeTime(to, user.expires());
        if (!user.rules().isEmpty()) {
            writeLines(to, user.rules());
        }
    }

    private static StoredUser readUser(ByteReader from) {
        String realm = from.readString();
        String name = from.readString();
        long serial = from.readNumber();
        String passwordHash = from.readNullableString();
        List<String> groups = from.readList(ByteReader::readString);
        String tenant = from.readNullableString();
        ClientKind kind = readKind(from);
        Map<String, String> attributes = readTexts(from);
        int flags = from.readByte();
        if ((flags & ~(DISABLED | HAS_RULES)) != 0) {
            throw new UnreadableRecordException("a user with the flags " + flags);
        }
        boolean isDisabled = (flags & DISABLED) != 0;
        Instant expires = readTime(from);
        List<Line> rules = (flags & HAS_RULES) != 0 ? readLines(from) : List.of();
        return new StoredUser(
                realm, name, serial, passwordHash, groups, tenant, kind, attributes, isDisabled, expires, rules);
    }

    private static @Nullable ClientKind readKind(ByteReader from) {
        int code = from.readByte();
        return code == NOTHING ? null : ClientKind.of(code);
    }

    private static void writeRules(ByteWriter to, StoredRuleSet set) {
        to.writeString(set.name());
        to.writeSigned(set.order());
        to.writeList(List.copyOf(new TreeMap<>(set.audience()).entrySet()), (writer, one) -> {
            writer.writeString(one.getKey());
            writer.writeList(one.getValue(), ByteWriter::writeString);
        });
        writeLines(to, set.rules());
    }

    private static void writeLines(ByteWriter to, List<Line> lines) {
        to.writeList(lines, (writer, rule) -> {
            writer.writeBoolean(rule.allows());
            writer.writeString(rule.action());
            writer.writeString(rule.topic());
            writer.writeByte(rule.maxQos() == null ? NOTHING : rule.maxQos());
            writer.writeByte(rule.retain() == null ? NOTHING : rule.retain() ? 1 : 0);
        });
    }

    private static StoredRuleSet readRules(ByteReader from) {
        String name = from.readString();
        int order = Math.toIntExact(from.readSigned());
        Map<String, List<String>> audience = new LinkedHashMap<>();
        from.readList(one -> {
            String what = one.readString();
            return audience.put(what, one.readList(ByteReader::readString)) == null;
        });
        return new StoredRuleSet(name, order, audience, readLines(from));
    }

    private static List<Line> readLines(ByteReader from) {
        return from.readList(one ->
                new Line(one.readBoolean(), one.readString(), one.readString(), maxQos(one), retain(one.readByte())));
    }

    private static @Nullable Integer maxQos(ByteReader from) {
        int qos = from.readByte();
        return qos == NOTHING ? null : qos;
    }

    private static @Nullable Boolean retain(int code) {
        return code == NOTHING ? null : code != 0;
    }

    private static void writeTexts(ByteWriter to, Map<String, String> texts) {
        to.writeList(new ArrayList<>(new TreeMap<>(texts).entrySet()), (writer, one) -> {
            writer.writeString(one.getKey());
            writer.writeString(one.getValue());
        });
    }

    private static Map<String, String> readTexts(ByteReader from) {
        Map<String, String> texts = new LinkedHashMap<>();
        from.readList(one -> {
            String key = one.readString();
            return texts.put(key, one.readString()) == null;
        });
        return texts;
    }

    static void writeTime(ByteWriter to, @Nullable Instant time) {
        to.writeNumber(time == null ? 0 : time.toEpochMilli());
    }

    static @Nullable Instant readTime(ByteReader from) {
        long millis = from.readNumber();
        return millis == 0 ? null : Instant.ofEpochMilli(millis);
    }

    private static <T> T one(T[] values, ToIntFunction<T> code, ByteReader from) {
        int number = from.readByte();
        return Arrays.stream(values)
                .filter(value -> code.applyAsInt(value) == number)
                .findAny()
                .orElseThrow(() -> new UnreadableRecordException("number " + number + " of " + values.length));
    }
}
