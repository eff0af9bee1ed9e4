package io.tributary.broker.tls;

/** Something of a {@link TlsConfig} cannot be used; the message says what, why, and what would help. */
public final class TlsException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String part;
    private final String words;

    /**
     * Creates one.
     *
     * @param part what it is about, as a setting is written: {@code private-key}, {@code hosts.eu.certificate}
     */
    TlsException(String part, String words) {
        super(part + ": " + words);
        this.part = part;
        this.words = words;
    }

    /** What it is about, as a setting is written: {@code private-key}, {@code hosts.eu.certificate}. */
    public String part() {
        return part;
    }

    /** What is wrong with it. */
    public String words() {
        return words;
    }
}
