package io.tributary.common.codec;

/**
 * The output for the data types of MQTT (section 1.5). A packet is first written to a sink that only counts bytes, then
 * to a sink that stores them.
 */
sealed interface Sink permits SizeSink, BufferSink {

    /** The largest number of bytes in a string or in binary data. */
    int MAX_LENGTH = 65_535;

    /** Writes a byte. */
    void u8(int value);

    /** Writes a two byte integer. */
    void u16(int value);

    /** Writes a four byte integer. */
    void u32(long value);

    /** Writes a variable byte integer. */
    void varint(int value);

    /** Writes a UTF-8 string. */
    void text(String text);

    /** Writes binary data with their length. */
    void binary(byte[] data);

    /** The given length, if it is not too large for its two bytes. */
    static int checkedLength(int length) {
        if (length > MAX_LENGTH) {
            throw new IllegalArgumentException(length + " bytes are too many for a string or binary data");
        }
        return length;
    }
}
