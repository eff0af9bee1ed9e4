package io.tributary.server.settings;

import io.tributary.broker.ApplicationsConfig;
import io.tributary.broker.security.ClientRules;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Application clients: few, each reading much.
 *
 * @param rules which clients are applications: the first rule that a client fits decides, and without one it is a
 *     device
 * @param catchUpMessages How many messages a second an application is sent of what it missed; 0 for no limit. What was
 *     published in the last 5 seconds is not held back.
 * @param catchUpSize How much a second an application is sent of what it missed; 0 for no limit.
 * @param maxDeliveries How often a message of a shared subscription of applications is sent to members that leave it
 *     unacknowledged; then it is published on {@code $dead-letter/NAME/TOPIC}, if a persistent session with QoS 1 or 2
 *     subscribes to that. 0 for as often as it takes.
 */
public record ApplicationsSettings(
        @DefaultValue List<ClientRuleSettings> rules,
        @DefaultValue("0") @Allowed(min = "0") int catchUpMessages,
        @DefaultValue("0B") @Allowed(min = "0B") DataSize catchUpSize,
        @DefaultValue("0") @Allowed(min = "0") int maxDeliveries) {

    void change(ApplicationsConfig.Builder to, ClientRules known) {
        to.rules(known)
                .catchUpMessages(catchUpMessages)
                .catchUpSize(catchUpSize.toBytes())
                .maxDeliveries(maxDeliveries);
    }

    /**
     * The rules.
     *
     * @param listeners the names of all listeners
     * @throws SettingException when one is not well made
     */
    ClientRules clientRules(String group, Set<String> listeners) {
        return new ClientRules(IntStream.range(0, rules.size())
                .mapToObj(i -> rules.get(i).rule(group + ".rules[" + i + "]", listeners))
                .toList());
    }
}
