package io.tributary.cluster.ingest;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The texts of records: what MQTT cannot carry [MQTT-1.5.4-1, MQTT-1.5.4-2] is refused. */
final class RecordText {
    /** The longest text or data of MQTT, in bytes. */
    static final int MAX_BYTES = 65_535;

    private RecordText() {}

    /**
     * The text of these bytes.
     *
     * @param what what they are, for the refusal
     */
    static String of(String what, byte @Nullable [] utf8) throws InvalidRecordException {
        if (utf8 == null) {
            throw new InvalidRecordException(what + " is missing");
        }
        if (utf8.length > MAX_BYTES) {
            throw new InvalidRecordException(what + " is longer than " + MAX_BYTES + " bytes");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
            if (text.indexOf('\0') >= 0) {
                throw new InvalidRecordException(what + " has a null character");
            }
            return text;
        } catch (CharacterCodingException e) {
            throw new InvalidRecordException(what + " is not UTF-8");
        }
    }

    /** A number that is not negative, in decimal digits. */
    static long number(String what, byte @Nullable [] digits) throws InvalidRecordException {
        String text = of(what, digits);
        try {
            long number = Long.parseLong(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new InvalidRecordException(what + " is not a number");
        }
        throw new InvalidRecordException(what + " is negative");
    }
}
