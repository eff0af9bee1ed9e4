package io.tributary.localcluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a local Kafka, and how connections of its clients are encrypted. The brokers are clients of each other
 * too; the quorum's ports stay open to everybody on this machine.
 *
 * @param authority whose certificate the brokers show; null for no encryption
 * @param admin who may do anything, and gives rights (ACLs) to others; null when everybody may do anything
 */
record KafkaAccess(
        @Nullable LocalAuthority authority, @Nullable AdminUser admin) {
    private static final String MECHANISM = "SCRAM-SHA-512";

    /** The protocol of the listener for clients. */
    String protocol() {
        return (admin == null ? "" : "SASL_") + (authority == null ? "PLAINTEXT" : "SSL");
    }

    /** The settings of a broker. */
    Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        if (authority != null) {
            settings.put("ssl.keystore.type", "PEM");
            settings.put("ssl.keystore.location", authority.serverChain().toString());
            settings.put("ssl.truststore.type", "PEM");
            settings.put("ssl.truststore.location", authority.certificates().toString());
        }
        if (admin != null) {
            settings.put("sasl.enabled.mechanisms", MECHANISM);
            settings.put("sasl.mechanism.inter.broker.protocol", MECHANISM);
            settings.put("listener.name.client.scram-sha-512.sasl.jaas.config", jaas(admin));
            settings.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
            // The second is who comes in by the quorum's ports.
            settings.put("super.users", "User:" + admin.name() + ";User:ANONYMOUS");
        }
        return settings;
    }

    /** What the storage is formatted with, besides what it always is. */
    List<String> format() {
        return admin == null
                ? List.of()
                : List.of("--add-scram", MECHANISM + "=[name=" + admin.name() + ",password=" + admin.password() + "]");
    }

    private static String jaas(AdminUser user) {
        return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + user.name()
                + "\" password=\"" + user.password().replace("\\", "\\\\").replace("\"", "\\\"") + "\";";
    }
}
