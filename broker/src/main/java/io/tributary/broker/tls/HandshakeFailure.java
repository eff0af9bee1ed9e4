package io.tributary.broker.tls;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Why a handshake failed. */
public enum HandshakeFailure {
    /** What came was not TLS: a client that speaks MQTT without it, as a rule. */
    NOT_TLS,
    /** It took too long. */
    TIMEOUT,
    /** The connection was closed meanwhile. */
    CLOSED,
    /** No version or no cipher suite was common to both. */
    NOTHING_IN_COMMON,
    /** The client showed no certificate, and needed one. */
    NO_CERTIFICATE,
    /** The client's certificate is past its time, or before. */
    EXPIRED,
    /** The client's certificate is revoked. */
    REVOKED,
    /** The revocation list of the issuer of the client's certificate is missing or past its next update. */
    CRL_OUTDATED,
    /** The client's certificate is of none of the authorities, or wrong in another way. */
    UNTRUSTED,
    /** The client refused: it does not trust the broker's certificate, as a rule. */
    REFUSED_BY_CLIENT,
    /** Something else. */
    OTHER;

    private static final int DEEPEST = 12;

    /** Why a handshake failed, from the exception that it failed with. */
    public static HandshakeFailure of(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < DEEPEST; depth++) {
            HandshakeFailure reason = ofType(at);
            if (reason != null) {
                return reason;
            }
            at = at.getCause();
        }
        return isOfCertificate(failure) ? UNTRUSTED : ofWords(failure);
    }

    private static @Nullable HandshakeFailure ofType(Throwable failure) {
        return switch (failure) {
            case NotSslRecordException _ -> NOT_TLS;
            case SslHandshakeTimeoutException _ -> TIMEOUT;
            case ClosedChannelException _ -> CLOSED;
            case CertificateExpiredException _ -> EXPIRED;
            case CertPathValidatorException invalid -> ofReason(invalid.getReason());
            default -> null;
        };
    }

    private static @Nullable HandshakeFailure ofReason(CertPathValidatorException.Reason reason) {
        if (!(reason instanceof BasicReason basic)) {
            return null;
        }
        return switch (basic) {
            case EXPIRED, NOT_YET_VALID -> EXPIRED;
            case REVOKED -> REVOKED;
            case UNDETERMINED_REVOCATION_STATUS -> CRL_OUTDATED;
            default -> null;
        };
    }

    private static boolean isOfCertificate(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < DEEPEST; depth++) {
            if (at instanceof CertificateException || at instanceof CertPathValidatorException) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    /** Both engines say the rest with words alone. */
    private static HandshakeFailure ofWords(Throwable failure) {
        Throwable at = failure;
        StringBuilder all = new StringBuilder();
        for (int depth = 0; at != null && depth < DEEPEST; depth++) {
            all.append(at.getMessage()).append('\n');
            at = at.getCause();
        }
        String words = all.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
        if (has(words, "did not return a certificate", "empty client certificate chain")) {
            return NO_CERTIFICATE;
        }
        if (has(words, "no shared cipher", "no cipher suites in common", "unsupported protocol", "wrong version")
                || has(words, "not supported by server preferences", "protocol version", "not accepted by client")) {
            return NOTHING_IN_COMMON;
        }
        if (has(words, "alert")) {
            return REFUSED_BY_CLIENT;
        }
        return has(words, "http request", "not an ssl", "plaintext connection") ? NOT_TLS : OTHER;
    }

    private static boolean has(String words, String... ones) {
        return List.of(ones).stream().anyMatch(words::contains);
    }
}
