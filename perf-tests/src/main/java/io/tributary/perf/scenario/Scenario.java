package io.tributary.perf.scenario;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A run as it is to be: who connects, what is published, step by step. {@code defaults.yaml} beside this class says
 * what each setting is and what it is where nothing is said.
 *
 * @param name of the file it came from
 * @param source the published work it repeats
 * @param same what is as it was there
 * @param differs what is not
 * @param parameters what was put in for {@code ${name}}
 * @param scale what the counts of groups were multiplied with
 * @param threads event loops of each process of the tool
 * @param target what is measured unless the command line says
 * @param targetSettings settings of a Tributary that is started
 * @param mayDrop whether a limit of the broker is to drop messages; those that it counts as dropped are not lost
 */
public record Scenario(
        String name,
        String title,
        String source,
        List<String> same,
        List<String> differs,
        Map<String, Object> parameters,
        double scale,
        int threads,
        String target,
        Map<String, String> targetSettings,
        boolean mayDrop,
        MqttOptions mqtt,
        ConnectOptions connect,
        Limits limits,
        List<Group> groups,
        List<Step> steps) {

    /** Checks what concerns several parts. */
    public Scenario {
        same = List.copyOf(same);
        differs = List.copyOf(differs);
        groups = List.copyOf(groups);
        steps = List.copyOf(steps);
        if (groups.isEmpty()) {
            throw new ScenarioException("a scenario needs groups of clients");
        }
        if (threads < 1 || scale <= 0) {
            throw new ScenarioException("threads must be 1 or more, scale more than 0");
        }
        Set<String> names = new HashSet<>();
        for (Group group : groups) {
            if (!names.add(group.name())) {
                throw new ScenarioException("there are two groups " + group.name());
            }
        }
        for (Step step : steps) {
            Stream.concat(step.groups().stream(), step.stalled().stream())
                    .filter(group -> !names.contains(group))
                    .forEach(group -> {
                        throw new ScenarioException("step " + step.name() + ": there is no group " + group);
                    });
        }
    }

    /** The number of clients in all. */
    @JsonIgnore
    public int clients() {
        return groups.stream().mapToInt(Group::count).sum();
    }

    /** Whether clients publish by the clock, so that the tool can be late. */
    @JsonIgnore
    public boolean isOpenLoop() {
        return groups.stream()
                .anyMatch(group -> group.publish() != null && !group.publish().isClosedLoop());
    }
}
