package io.tributary.server.settings;

import io.tributary.cluster.kafka.ChangingCertificates;
import io.tributary.cluster.kafka.PasswordFileCallbacks;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The properties of Kafka's clients that encryption and authentication come to.
 *
 * @param name the name of the settings of Kafka
 */
record KafkaSecurity(String name, TlsSettings tls, SaslSettings sasl) {

    /**
     * Adds them to the properties that an operator gave.
     *
     * @throws SettingException when one is given in both ways
     */
    Map<String, String> addTo(Map<String, String> given) {
        Map<String, String> ours = properties();
        for (String property : new TreeSet<>(given.keySet())) {
            if (ours.containsKey(property)) {
                throw new SettingException(
                        name + ".client-properties." + property,
                        "comes from " + name + ".tls and " + name + ".sasl already; use one of the two ways");
            }
        }
        ours.putAll(given);
        if (ours.containsKey("ssl.truststore.location") || ours.containsKey("ssl.keystore.location")) {
            ours.putIfAbsent("ssl.engine.factory.class", ChangingCertificates.class.getName());
        }
        return ours;
    }

    private Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        boolean encrypted = tls.checkedEnabled(name + ".tls");
        String jaas = sasl.jaas(name + ".sasl");
        if (jaas != null) {
            properties.put("sasl.mechanism", sasl.checkedMechanism(name + ".sasl"));
            properties.put("sasl.jaas.config", jaas);
            properties.put("sasl.client.callback.handler.class", PasswordFileCallbacks.class.getName());
        }
        if (encrypted) {
            addTls(properties);
        }
        if (encrypted || jaas != null) {
            properties.put("security.protocol", (jaas == null ? "" : "SASL_") + (encrypted ? "SSL" : "PLAINTEXT"));
        }
        return properties;
    }

    private void addTls(Map<String, String> properties) {
        Path trusted = tls.trusted(name + ".tls");
        if (trusted != null) {
            properties.put("ssl.truststore.type", "PEM");
            properties.put("ssl.truststore.location", trusted.toString());
        }
        properties.put("ssl.endpoint.identification.algorithm", tls.verifyHost() ? "https" : "");
    }
}
