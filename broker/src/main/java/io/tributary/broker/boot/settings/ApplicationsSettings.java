package io.tributary.broker.boot.settings;

import io.tributary.broker.security.ClientRules;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Application clients: few, each reading much.
 *
 * @param rules which clients are applications: the first rule that a client fits decides, and without one it is a device
 */
public record ApplicationsSettings(@DefaultValue List<ClientRuleSettings> rules) {

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
