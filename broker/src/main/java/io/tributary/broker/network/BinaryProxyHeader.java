package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.tributary.broker.network.ProxyHeader.Malformed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads version 2 of the {@link ProxyHeader}: 16 bytes, addresses, and values with their types (TLV). */
final class BinaryProxyHeader {
    private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");
    private static final int FIXED_BYTES = 16;
    private static final int VERSION_2 = 0x20;
    private static final int LOCAL = 0;
    private static final int PROXY = 1;

    private static final int UNSPECIFIED = 0x00;
    private static final int TCP_4 = 0x11;
    private static final int TCP_6 = 0x21;
    private static final int UNIX_STREAM = 0x31;
    private static final int PORTS_BYTES = 4;

    private static final int TYPE_CRC32C = 0x03;
    private static final int TYPE_SSL = 0x20;
    private static final int SUBTYPE_SSL_CN = 0x22;
    private static final int OVER_SSL = 0x01;
    private static final int CERTIFICATE_OF_CONNECTION_OR_SESSION = 0x02 | 0x04;

    private BinaryProxyHeader() {}

    static @Nullable ProxyHeader read(ByteBuf in) throws Malformed {
        ProxyHeader.checkBegin(in, SIGNATURE);
        int begin = in.readerIndex();
        int command = in.readableBytes() > SIGNATURE.length ? command(in.getByte(begin + SIGNATURE.length)) : LOCAL;
        if (in.readableBytes() < FIXED_BYTES) {
            return null;
        }
        int bytes = FIXED_BYTES + in.getUnsignedShort(begin + FIXED_BYTES - 2);
        if (bytes > ProxyHeader.MOST_BYTES) {
            throw new Malformed("the header has more than " + ProxyHeader.MOST_BYTES + " bytes", true);
        }
        if (in.readableBytes() < bytes) {
            return null;
        }
        ByteBuf whole = in.readSlice(bytes);
        return command == LOCAL ? ProxyHeader.LOCAL : ofClient(whole);
    }

    private static int command(byte versionAndCommand) throws Malformed {
        int command = versionAndCommand & 0x0F;
        if ((versionAndCommand & 0xF0) != VERSION_2 || command > PROXY) {
            throw new Malformed("neither LOCAL nor PROXY of version 2");
        }
        return command;
    }

    private static ProxyHeader ofClient(ByteBuf whole) throws Malformed {
        int family = whole.getByte(SIGNATURE.length + 1);
        return switch (family) {
            case UNSPECIFIED, UNIX_STREAM -> ProxyHeader.LOCAL;
            case TCP_4 -> ofClient(whole, 4);
            case TCP_6 -> ofClient(whole, 16);
            default -> throw new Malformed("no family of addresses over TCP");
        };
    }

    private static ProxyHeader ofClient(ByteBuf whole, int addressBytes) throws Malformed {
        ByteBuf rest = whole.duplicate().skipBytes(FIXED_BYTES); // its indices are those of the whole
        if (rest.readableBytes() < 2 * addressBytes + PORTS_BYTES) {
            throw new Malformed("the addresses are cut off");
        }
        byte[] source = ByteBufUtil.getBytes(rest.readSlice(addressBytes));
        rest.skipBytes(addressBytes);
        int port = rest.readUnsignedShort();
        rest.skipBytes(2);
        String name = certificateName(whole, rest);
        try {
            return new ProxyHeader(new InetSocketAddress(InetAddress.getByAddress(source), port), name);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("not the length of an address", e);
        }
    }

    private static @Nullable String certificateName(ByteBuf whole, ByteBuf values) throws Malformed {
        String name = null;
        while (values.isReadable()) {
            int type = type(values);
            ByteBuf value = value(values);
            if (type == TYPE_CRC32C) {
                checkSum(whole, value, values.readerIndex() - value.readableBytes());
            } else if (type == TYPE_SSL) {
                name = verifiedName(value);
            }
        }
        return name;
    }

    private static int type(ByteBuf values) throws Malformed {
        if (values.readableBytes() < 3) {
            throw new Malformed("a value is cut off");
        }
        return values.readUnsignedByte();
    }

    private static ByteBuf value(ByteBuf values) throws Malformed {
        int length = values.readUnsignedShort();
        if (values.readableBytes() < length) {
            throw new Malformed("a value is cut off");
        }
        return values.readSlice(length);
    }

    /** The sum is that of the whole header with zeros in its own place. */
    private static void checkSum(ByteBuf whole, ByteBuf value, int at) throws Malformed {
        if (value.readableBytes() != Integer.BYTES) {
            throw new Malformed("a checksum without four bytes");
        }
        byte[] bytes = ByteBufUtil.getBytes(whole);
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[at + i] = 0;
        }
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        if ((int) sum.getValue() != value.getInt(value.readerIndex())) {
            throw new Malformed("the checksum is wrong");
        }
    }

    private static @Nullable String verifiedName(ByteBuf ssl) throws Malformed {
        if (ssl.readableBytes() < 1 + Integer.BYTES) {
            throw new Malformed("a value is cut off");
        }
        int client = ssl.readByte();
        boolean isVerified =
                ssl.readInt() == 0 && (client & OVER_SSL) != 0 && (client & CERTIFICATE_OF_CONNECTION_OR_SESSION) != 0;
        String name = null;
        while (ssl.isReadable()) {
            int type = type(ssl);
            ByteBuf value = value(ssl);
            if (type == SUBTYPE_SSL_CN) {
                name = text(value);
            }
        }
        return isVerified ? name : null;
    }

    private static @Nullable String text(ByteBuf value) throws Malformed {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(value.nioBuffer())
                    .toString();
            if (text.chars().anyMatch(Character::isISOControl)) {
                throw new Malformed("a certificate's name has control characters");
            }
            return text.isEmpty() ? null : text;
        } catch (CharacterCodingException e) {
            throw new Malformed("a certificate's name is no UTF-8");
        }
    }
}
