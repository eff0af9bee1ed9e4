package io.tributary.broker.network;

import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;

/** A listener cannot listen; the message says which, where, and why. */
public final class ListenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ListenerConfig listener;
    private final Reason reason;

    /** Why it cannot. */
    public enum Reason {
        /** Another process, or another listener, listens there. */
        PORT_IN_USE,
        /** The host is neither an address of this machine nor a name of one. */
        UNKNOWN_HOST,
        /** Something else, which the cause says. */
        OTHER
    }

    ListenException(ListenerConfig listener, Throwable cause) {
        super(
                "listener " + listener.name() + ": cannot listen on host=" + listener.host() + ", port="
                        + listener.port() + ": " + cause.getMessage(),
                cause);
        this.listener = listener;
        reason = reason(cause);
    }

    /** The listener. */
    public ListenerConfig listener() {
        return listener;
    }

    /** Why it cannot listen. */
    public Reason reason() {
        return reason;
    }

    /**
     * The operating system's reason comes as words: there is one exception for all that can be wrong with an address.
     */
    private static Reason reason(Throwable cause) {
        if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
            return Reason.UNKNOWN_HOST;
        }
        String words = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (words.contains("in use")) {
            return Reason.PORT_IN_USE;
        }
        boolean notOurs = words.contains("cannot assign") || words.contains("can't assign");
        return notOurs ? Reason.UNKNOWN_HOST : Reason.OTHER;
    }
}
