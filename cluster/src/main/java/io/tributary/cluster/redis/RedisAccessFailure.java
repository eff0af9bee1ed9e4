package io.tributary.cluster.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.netty.handler.ssl.SslClosedEngineException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * Why a server of Redis cannot be used, in sentences that say which settings to correct, by the names that they have
 * below those of Redis. No secret is in them.
 */
final class RedisAccessFailure {
    /** The rights that the user needs on each node and no more, as in ACL SETUSER. */
    static final String PERMISSIONS =
            "~tributary:* +evalsha +eval +hget +hgetall +hscan +hset +hdel +hmget +zadd +zrange +zscore +zrem"
                    + " +zremrangebyscore +get +set +exists +persist +rename +unlink +info +cluster|nodes"
                    + " +cluster|myid +asking +client|setname";

    private RedisAccessFailure() {}

    /** The sentences for a failure of the client library. */
    static String words(RedisConfig config, RedisConfig.Node node, Throwable failure) {
        List<Throwable> causes = causes(failure);
        for (Throwable cause : causes) {
            if (cause instanceof RedisCommandExecutionException) {
                return refusal(config, node, String.valueOf(cause.getMessage()));
            }
        }
        String reason = String.valueOf(causes.getLast().getMessage());
        if (isAny(causes, CertPathBuilderException.class, CertPathValidatorException.class)) {
            return ("Redis at %s has a certificate that is not trusted (%s). Correct tls.certificates, the file with its"
                            + " authority's certificate.")
                    .formatted(node, reason);
        }
        if (isAny(causes, CertificateException.class)) {
            return ("Redis at %s has a certificate for another host (%s). Correct nodes or what Redis announces, or give it a"
                            + " certificate with this host; tls.verify-host=false would accept any.")
                    .formatted(node, reason);
        }
        if (isOtherTls(causes)) {
            return "Redis at %s does not speak TLS as this node does (%s). Correct nodes or tls."
                    .formatted(node, reason);
        }
        return "Redis at %s cannot be reached (%s). Start it, or correct nodes or tls.".formatted(node, reason);
    }

    /** Whether it may pass by itself: not where rights or settings are wrong. */
    static boolean mayPass(Throwable failure) {
        List<Throwable> causes = causes(failure);
        return causes.stream().noneMatch(RedisAccessFailure::isRefusalOfUser)
                && !isAny(causes, CertPathBuilderException.class, CertPathValidatorException.class)
                && !isAny(causes, CertificateException.class)
                && !isOtherTls(causes);
    }

    /** A server, or a proxy before one that is not up, that goes away or is silent has shown no TLS at all. */
    private static boolean isOtherTls(List<Throwable> causes) {
        return isAny(causes, SSLException.class)
                && !isAny(causes, SslClosedEngineException.class, SslHandshakeTimeoutException.class);
    }

    private static boolean isRefusalOfUser(Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        return cause instanceof RedisCommandExecutionException && (lacksRights(reason) || isUnknown(reason));
    }

    private static boolean lacksRights(String reason) {
        return reason.startsWith("NOPERM");
    }

    private static boolean isUnknown(String reason) {
        return reason.startsWith("NOAUTH") || reason.startsWith("WRONGPASS") || reason.contains("AUTH");
    }

    private static List<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .toList();
    }

    private static String refusal(RedisConfig config, RedisConfig.Node node, String reason) {
        RedisConfig.Credentials credentials = config.credentials();
        if (lacksRights(reason)) {
            return missingRights(node, reason);
        }
        if (isUnknown(reason)) {
            return "Redis at %s refuses %s (%s). Correct username and password-file."
                    .formatted(
                            node,
                            credentials == null ? "a broker without user and password" : "user " + credentials.user(),
                            reason);
        }
        return "Redis at %s cannot be used: %s.".formatted(node, reason);
    }

    /** The failure that the user lacks rights that the scripts need. */
    static String missingRights(RedisConfig.Node node, String what) {
        return ("Redis at %s does not allow the user what the broker needs (%s). Grant it, on each node, " + PERMISSIONS
                        + ".")
                .formatted(node, what);
    }

    private static boolean isAny(List<Throwable> causes, Class<?>... types) {
        return causes.stream().anyMatch(cause -> Stream.of(types).anyMatch(type -> type.isInstance(cause)));
    }
}
