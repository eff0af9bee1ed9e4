package io.tributary.perf.scenario;

import io.tributary.perf.judge.Stamp;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a scenario one by one, and who gets what of whom. Every process of a run makes the same plan of all
 * clients, and runs its share of them. Immutable.
 */
public final class Plan {
    private static final String SHARED = "$share/";

    private final Scenario scenario;
    private final int run;
    private final int[] firstClient;
    private final int[] firstSource;
    private final int sources;
    private final int[] fanOut;
    private final int[] localFanOut;
    private final BitSet aside = new BitSet();
    private final Share share;
    private final FilterIndex index = new FilterIndex();

    /**
     * Plans a run.
     *
     * @param run its number, 0 to 65,535, by which messages of others are told apart
     * @throws ScenarioException if the plan does not work out
     */
    public Plan(Scenario scenario, int run, Share share) {
        this.scenario = scenario;
        this.run = run;
        this.share = share;
        int groups = scenario.groups().size();
        firstClient = new int[groups + 1];
        firstSource = new int[groups];
        int next = 0;
        for (int g = 0; g < groups; g++) {
            Group group = scenario.groups().get(g);
            firstClient[g + 1] = firstClient[g] + group.count();
            firstSource[g] = next;
            PublishOptions publish = group.publish();
            int before = next;
            next = Math.addExact(next, publish == null ? 0 : Math.multiplyExact(group.count(), publish.topics()));
            aside.set(before, next, group.aside());
        }
        if (next > Stamp.MAX_SOURCES) {
            throw new ScenarioException("more than " + Stamp.MAX_SOURCES + " publishers and topics");
        }
        sources = next;
        fanOut = new int[sources];
        localFanOut = new int[sources];
        indexSubscribers();
        countReceivers();
        refuseWithoutWindow();
    }

    /** The scenario. */
    public Scenario scenario() {
        return scenario;
    }

    /** The number of the run. */
    public int run() {
        return run;
    }

    /** The number of publishers' topics. */
    public int sources() {
        return sources;
    }

    /** Whether the messages of a source are of clients that stand by while others are measured. */
    public boolean isAside(int source) {
        return aside.get(source);
    }

    /** How many deliveries a message of each source leads to; shared with the caller, who does not write to it. */
    public int[] fanOut() {
        return fanOut;
    }

    /** The same, of deliveries to clients of this share. */
    public int[] localFanOut() {
        return localFanOut;
    }

    /** The clients of this share in a group, in order. */
    public List<PlannedClient> clients(Group group) {
        int number = scenario.groups().indexOf(group);
        boolean shared = sharedName(group) != null;
        List<PlannedClient> clients = new ArrayList<>();
        for (int n = 0; n < group.count(); n++) {
            if (share.has(number, shared, n)) {
                clients.add(client(number, n));
            }
        }
        return clients;
    }

    /** The shared subscription that a group's clients are members of, by a name of its own; null for none. */
    public static @Nullable String sharedName(Group group) {
        String name = null;
        int shared = 0;
        for (SubscribeOptions subscribe : group.subscribe()) {
            if (subscribe.filter().startsWith(SHARED)) {
                shared++;
                name = subscribe.filter().split("/", 3)[1];
            }
        }
        if (shared > 0 && shared < group.subscribe().size()) {
            throw new ScenarioException("group " + group.name()
                    + ": all of its subscriptions are shared, or none; else nobody could count");
        }
        return name;
    }

    /** The sources that a client's subscriptions match. */
    public int[] sourcesFor(PlannedClient client) {
        FilterIndex own = new FilterIndex();
        client.subscriptions().forEach(one -> own.add(withoutShare(one.filter()), 0));
        List<Integer> matched = new ArrayList<>();
        forEachSource((source, topic, group) -> {
            boolean[] hit = new boolean[1];
            own.match(topic, _ -> hit[0] = true);
            if (hit[0]) {
                matched.add(source);
            }
        });
        return matched.stream().mapToInt(Integer::intValue).toArray();
    }

    /** What a source is called, for people. */
    public String nameOf(int source) {
        String[] name = new String[] {""};
        forEachSource((number, topic, group) -> {
            if (number == source) {
                name[0] = group.name() + " on " + topic;
            }
        });
        return name[0];
    }

    private PlannedClient client(int groupNumber, int n) {
        Group group = scenario.groups().get(groupNumber);
        PublishOptions publish = group.publish();
        String id = String.format(Locale.ROOT, "perf-%04x-%s-%d", run, group.name(), n);
        int source = firstSource[groupNumber] + (publish == null ? 0 : n * publish.topics());
        return new PlannedClient(firstClient[groupNumber] + n, group, n, id, source);
    }

    /** A receiver's number is the client's, or that of the first client of the group for a shared subscription. */
    private void indexSubscribers() {
        for (int g = 0; g < scenario.groups().size(); g++) {
            Group group = scenario.groups().get(g);
            boolean shared = sharedName(group) != null;
            for (int n = 0; n < (shared ? 1 : group.count()); n++) {
                for (SubscribeOptions subscribe : group.subscribe()) {
                    index.add(withoutShare(Template.fill(subscribe.filter(), n, 0)), firstClient[g] + n);
                }
            }
        }
    }

    private void countReceivers() {
        int[] counted = new int[firstClient[scenario.groups().size()]];
        int[] round = new int[1];
        forEachSource((source, topic, group) -> {
            PublishOptions publish = group.publish();
            round[0]++;
            index.match(topic, once(counted, round[0], receiver -> {
                count(source, receiver);
                if (publish != null
                        && publish.responseTopic() != null
                        && groupOf(receiver).reply()) {
                    int n = (source - firstSource[scenario.groups().indexOf(group)]) / publish.topics();
                    String answers = Template.fill(publish.responseTopic(), n, 0);
                    index.match(answers, requester -> count(source, requester));
                }
            }));
        });
    }

    /** At QoS 0 deliveries open a window, those to clients of the publisher's own process: none would be no window. */
    private void refuseWithoutWindow() {
        for (int g = 0; g < scenario.groups().size(); g++) {
            Group group = scenario.groups().get(g);
            PublishOptions publish = group.publish();
            if (publish == null || !publish.isClosedLoop() || publish.qos() > 0) {
                continue;
            }
            boolean shared = sharedName(group) != null;
            for (int i = 0; i < group.count() * publish.topics(); i++) {
                int source = firstSource[g] + i;
                boolean isOurs = share.has(g, shared, i / publish.topics());
                if (isOurs && fanOut[source] > 0 && localFanOut[source] == 0) {
                    throw new ScenarioException(String.format(
                            Locale.ROOT,
                            "group %s publishes QoS 0 with a window, which opens when messages come to clients of the same process;"
                                    + " with %d runners some publishers have no subscriber in theirs, and would send without any"
                                    + " window: fewer runners, a rate, or QoS 1",
                            group.name(),
                            share.runners()));
                }
            }
        }
    }

    /** Calls for each number once in a round. */
    private static IntConsumer once(int[] counted, int round, IntConsumer each) {
        return number -> {
            if (counted[number] != round) {
                counted[number] = round;
                each.accept(number);
            }
        };
    }

    private void count(int source, int receiver) {
        fanOut[source]++;
        int group = groupNumberOf(receiver);
        boolean shared = sharedName(scenario.groups().get(group)) != null;
        if (share.has(group, shared, receiver - firstClient[group])) {
            localFanOut[source]++;
        }
    }

    private Group groupOf(int client) {
        return scenario.groups().get(groupNumberOf(client));
    }

    private int groupNumberOf(int client) {
        int group = 0;
        while (firstClient[group + 1] <= client) {
            group++;
        }
        return group;
    }

    private void forEachSource(SourceVisitor visitor) {
        for (int g = 0; g < scenario.groups().size(); g++) {
            Group group = scenario.groups().get(g);
            PublishOptions publish = group.publish();
            for (int n = 0; publish != null && n < group.count(); n++) {
                for (int t = 0; t < publish.topics(); t++) {
                    String topic = Template.fill(publish.topic(), n, t);
                    visitor.visit(firstSource[g] + n * publish.topics() + t, topic, group);
                }
            }
        }
    }

    private static String withoutShare(String filter) {
        return filter.startsWith(SHARED) ? filter.split("/", 3)[2] : filter;
    }

    @FunctionalInterface
    private interface SourceVisitor {
        void visit(int source, String topic, Group group);
    }
}
