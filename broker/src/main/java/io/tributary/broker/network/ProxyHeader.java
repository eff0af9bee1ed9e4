package io.tributary.broker.network;

import io.netty.buffer.ByteBuf;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy says of a connection that it hands on: the header of the PROXY protocol, version 1 (a line of text) or 2
 * (binary), as HAProxy's specification has it.
 *
 * @param source the client's address; null where the connection is the proxy's own, such as a check whether the port is
 *     open ({@code LOCAL}, {@code UNKNOWN}), and where the client has no internet address
 * @param certificateName the common name in the client's certificate, which the proxy has verified; null without one
 */
record ProxyHeader(
        @Nullable InetSocketAddress source, @Nullable String certificateName) {

    /** The proxy's own connection, or one that it says nothing of. */
    static final ProxyHeader LOCAL = new ProxyHeader(null, null);

    /** How many bytes a header may have. */
    static final int MOST_BYTES = 4_096;

    private static final int MOST_TEXT_BYTES = 107;
    private static final byte[] TEXT = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final int PARTS = 6;
    private static final int LARGEST_PORT = 65_535;
    private static final Pattern DOTTED = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern COLONS = Pattern.compile("[0-9a-fA-F.]*:[0-9a-fA-F:.]*");
    private static final Pattern PORT = Pattern.compile("\\d{1,5}");

    /** A header is not well made. The words have nothing of what came. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        private final boolean tooLarge;

        Malformed(String words) {
            this(words, false);
        }

        Malformed(String words, boolean tooLarge) {
            super(words, null, false, false); // no stack: it is no defect of ours
            this.tooLarge = tooLarge;
        }

        /** Whether it may be well made and has too many bytes. */
        boolean isTooLarge() {
            return tooLarge;
        }
    }

    /**
     * Takes the header from the beginning of what came, and leaves the rest.
     *
     * @return null when it is not all there; nothing is taken then
     * @throws Malformed as soon as it cannot become a header any more
     */
    static @Nullable ProxyHeader read(ByteBuf in) throws Malformed {
        if (!in.isReadable()) {
            return null;
        }
        return in.getByte(in.readerIndex()) == TEXT[0] ? readText(in) : BinaryProxyHeader.read(in);
    }

    /** Checks that what came begins so, as far as it came. */
    static void checkBegin(ByteBuf in, byte[] begin) throws Malformed {
        int length = Math.min(begin.length, in.readableBytes());
        for (int i = 0; i < length; i++) {
            if (in.getByte(in.readerIndex() + i) != begin[i]) {
                throw new Malformed("no header of the PROXY protocol");
            }
        }
    }

    private static @Nullable ProxyHeader readText(ByteBuf in) throws Malformed {
        checkBegin(in, TEXT);
        int begin = in.readerIndex();
        int looked = Math.min(in.readableBytes(), MOST_TEXT_BYTES);
        int end = in.indexOf(begin, begin + looked, (byte) '\n');
        if (end < 0) {
            if (looked == MOST_TEXT_BYTES) {
                throw new Malformed("the line does not end within " + MOST_TEXT_BYTES + " bytes");
            }
            return null;
        }
        if (in.getByte(end - 1) != '\r') {
            throw new Malformed("the line does not end with CR LF");
        }
        String line = in.toString(begin, end - 1 - begin, StandardCharsets.US_ASCII);
        in.readerIndex(end + 1);
        return ofParts(line.split(" ", -1));
    }

    private static ProxyHeader ofParts(String[] parts) throws Malformed {
        return switch (parts[1]) {
            case "UNKNOWN" -> LOCAL; // the rest of the line is to be ignored
            case "TCP4" -> ofAddresses(parts, true);
            case "TCP6" -> ofAddresses(parts, false);
            default -> throw new Malformed("neither TCP4, TCP6 nor UNKNOWN");
        };
    }

    private static ProxyHeader ofAddresses(String[] parts, boolean isIpv4) throws Malformed {
        if (parts.length != PARTS) {
            throw new Malformed("the line has not got two addresses and two ports");
        }
        InetAddress source = address(parts[2], isIpv4);
        InetAddress _ = address(parts[3], isIpv4);
        int _ = port(parts[5]);
        return new ProxyHeader(new InetSocketAddress(source, port(parts[4])), null);
    }

    private static InetAddress address(String text, boolean isIpv4) throws Malformed {
        if ((isIpv4 ? DOTTED : COLONS).matcher(text).matches()) {
            try {
                InetAddress address = InetAddress.ofLiteral(text);
                if (!isIpv4 || address instanceof Inet4Address) {
                    return address;
                }
            } catch (IllegalArgumentException _) {
                throw new Malformed("no address of its kind");
            }
        }
        throw new Malformed("no address of its kind");
    }

    private static int port(String text) throws Malformed {
        if (!PORT.matcher(text).matches() || Integer.parseInt(text) > LARGEST_PORT) {
            throw new Malformed("no port");
        }
        return Integer.parseInt(text);
    }
}
