package io.tributary.broker.network;

import io.tributary.common.setting.InvalidSettingException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The web pages from which browsers may connect to a WebSocket listener: a browser says in the header {@code Origin}
 * from where the page is. Else any page that somebody looks at could connect from the network that the browser is in.
 * Clients that are no browsers send no such header, and are not kept out.
 */
public final class AllowedOrigins {
    /** The longest {@code Origin} that is looked at, in characters. */
    static final int LONGEST = 512;

    /** All pages. */
    private static final String ANY = "*";

    private static final List<String> THIS_MACHINE = List.of(
            "http://localhost:*",
            "https://localhost:*",
            "http://127.0.0.1:*",
            "https://127.0.0.1:*",
            "http://[::1]:*",
            "https://[::1]:*");

    private static final Pattern ORIGIN = Pattern.compile(
            "(?<scheme>[a-z][a-z0-9+.-]*)://(?<host>\\[[0-9a-f:.]+]|[^\\[\\]/?#:@\\s*]+)(:(?<port>\\d{1,5}))?");
    private static final Pattern ALLOWED = Pattern.compile(
            "(?<scheme>[a-z][a-z0-9+.-]*)://(?<host>\\[[0-9a-f:.]+]|(\\*\\.)?[^\\[\\]/?#:@\\s*]+)(:(?<port>\\d{1,5}|\\*))?");

    private final List<String> texts;
    private final List<Page> pages;

    /** Where a page is; a host {@code *.x} is one of any label before x, a port * is any. */
    private record Page(String scheme, String host, String port) {

        static @Nullable Page of(Pattern form, String text) {
            Matcher parts = form.matcher(text.toLowerCase(Locale.ROOT));
            if (!parts.matches()) {
                return null;
            }
            String port = parts.group("port");
            return new Page(
                    parts.group("scheme"), parts.group("host"), port == null ? usualPort(parts.group("scheme")) : port);
        }

        private static String usualPort(String scheme) {
            return switch (scheme) {
                case "http" -> "80";
                case "https" -> "443";
                default -> "";
            };
        }

        boolean allows(Page page) {
            return scheme.equals(page.scheme)
                    && (port.equals(ANY) || port.equals(page.port))
                    && (host.startsWith("*.")
                            ? host.substring(1).equals(behindLabel(page.host))
                            : host.equals(page.host));
        }

        private static String behindLabel(String host) {
            int dot = host.indexOf('.');
            return dot <= 0 ? "" : host.substring(dot);
        }
    }

    private AllowedOrigins(List<String> texts) {
        this.texts = List.copyOf(texts);
        pages = new ArrayList<>();
        for (String text : texts) {
            Page page = text.equals(ANY) ? null : Page.of(ALLOWED, text);
            if (page != null) {
                pages.add(page);
            } else if (!text.equals(ANY)) {
                throw new InvalidSettingException(
                        "allowed-origins",
                        "'" + text
                                + "' is not where a page is, such as https://app.example.com, https://*.example.com or"
                                + " http://localhost:8080; * alone is all");
            }
        }
    }

    /**
     * Pages at these places: {@code https://app.example.com}, with a port where it is not the usual one, and {@code *}
     * for any; {@code https://*.example.com}, where the star is one label; {@code *} alone is all. None: no browser may
     * connect.
     *
     * @throws InvalidSettingException when one is not the place of a page
     */
    public static AllowedOrigins of(List<String> texts) {
        return new AllowedOrigins(texts);
    }

    /** Those of a listener. Without any, one that only this machine reaches takes pages of this machine, others all. */
    static AllowedOrigins of(ListenerConfig listener) {
        AllowedOrigins own = listener.allowedOrigins();
        if (own != null) {
            return own;
        }
        return of(listener.proxyProtocol() == null && isThisMachine(listener.host()) ? THIS_MACHINE : List.of(ANY));
    }

    private static boolean isThisMachine(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException _) {
            return true; // nobody will reach it
        }
    }

    /** The places as they were written. */
    public List<String> texts() {
        return texts;
    }

    /**
     * Whether a browser may connect that sends this header; a page whose place is not known ({@code null}, as of a
     * file) may only where all may.
     */
    boolean allow(String origin) {
        if (origin.length() > LONGEST) {
            return false;
        }
        if (texts.contains(ANY)) {
            return true;
        }
        Page page = Page.of(ORIGIN, origin);
        return page != null && pages.stream().anyMatch(allowed -> allowed.allows(page));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AllowedOrigins that && texts.equals(that.texts);
    }

    @Override
    public int hashCode() {
        return texts.hashCode();
    }

    @Override
    public String toString() {
        return texts.toString();
    }
}
