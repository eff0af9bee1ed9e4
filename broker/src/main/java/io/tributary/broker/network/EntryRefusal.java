package io.tributary.broker.network;

/** Why a connection is closed before its CONNECT is looked at. docs/security.md says what each means. */
public enum EntryRefusal {
    /** It comes from somebody who may not send headers of the PROXY protocol, at a listener that wants them. */
    PROXY_UNTRUSTED,
    /** It brought no header of the PROXY protocol in time. */
    PROXY_TIMEOUT,
    /** What it began with is no header of the PROXY protocol. */
    PROXY_MALFORMED,
    /** Its header of the PROXY protocol has too many bytes. */
    PROXY_TOO_LARGE,
    /** A browser opened it from a page that may not. */
    ORIGIN,
    /** It held memory, and did not say in time who it is. */
    MEMORY,
    /** It had sent nothing, as too many others. */
    SILENT,
    /** Its address connects too often. */
    ADDRESS_RATE,
    /** Its address is banned. */
    ADDRESS_BANNED
}
