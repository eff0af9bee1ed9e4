package io.tributary.cluster.kafka;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.IllegalSaslStateException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;

/**
 * Why Kafka cannot be used, in sentences that say where it was looked for and which settings to correct, by the names
 * that they have below those of Kafka. No secret is in them. Safe for all threads.
 */
public final class KafkaAccessFailure {
    private KafkaAccessFailure() {}

    /** The sentences for a failure of Kafka's clients, or for one of them that did not answer in time. */
    public static String words(KafkaConfig config, Throwable failure) {
        List<Throwable> causes = Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .toList();
        Throwable innermost = causes.getLast();
        String what = failure instanceof TimeoutException
                ? "no answer within " + config.startTimeout()
                : innermost.getMessage() + " (" + innermost.getClass().getSimpleName() + ")";
        return "Kafka cannot be used at " + config.bootstrapServers() + ": " + what + ". " + remedy(config, causes);
    }

    private static String remedy(KafkaConfig config, List<Throwable> causes) {
        if (isAny(causes, CertPathBuilderException.class, CertPathValidatorException.class)) {
            return "Its certificate is not trusted: correct tls.certificates, the file with its authority's certificate.";
        }
        if (isAny(causes, CertificateException.class)) {
            return "Its certificate is for another host: correct bootstrap-servers or what Kafka advertises, or give it a"
                    + " certificate with this host; tls.verify-host=false would accept any.";
        }
        if (isAny(causes, SslAuthenticationException.class)) {
            return "It does not speak TLS there as this node does: correct bootstrap-servers or tls.";
        }
        if (isAny(causes, UnsupportedSaslMechanismException.class, IllegalSaslStateException.class)) {
            return "It does not log users in that way: correct sasl.mechanism.";
        }
        if (isAny(causes, SaslAuthenticationException.class)) {
            return "It refuses the user or the password: correct sasl.username and sasl.password-file.";
        }
        if (isAny(causes, AuthorizationException.class)) {
            return "It knows the user and does not allow what is needed: allow Create, Describe, DescribeConfigs, Read and"
                    + " Write for topics that begin with " + config.topicPrefix() + ", and Read for the group "
                    + config.shardsTopic() + ".";
        }
        return "Start it, or correct bootstrap-servers, tls or sasl.";
    }

    private static boolean isAny(List<Throwable> causes, Class<?>... types) {
        return causes.stream().anyMatch(cause -> Stream.of(types).anyMatch(type -> type.isInstance(cause)));
    }
}
