package io.tributary.broker.sys;

import io.tributary.broker.sys.SysStats.Clients;
import io.tributary.broker.sys.SysStats.StoredStats;
import io.tributary.broker.sys.SysStats.Subscribed;
import io.tributary.broker.sys.SysStats.Traffic;
import io.tributary.common.topic.TopicName;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The values of the {@code $SYS} topics in one round, by topic, without the averages. */
final class SysValues {
    static final String BROKER = TopicName.SYS_PREFIX + "broker/";
    static final String CLUSTER = TopicName.SYS_PREFIX + "cluster/";
    private static final String NODES = CLUSTER + "nodes/";

    private final Map<String, String> values = new LinkedHashMap<>();

    private SysValues() {}

    static Map<String, String> of(ClusterStats stats) {
        SysValues all = new SysValues();
        all.putBroker(stats.here().stats());
        all.putSums(CLUSTER, stats.sums());
        all.put(CLUSTER + "shards/count", stats.shards());
        all.put(CLUSTER + "shards/unowned", stats.unownedShards());
        all.put(NODES + "live", stats.liveNodes());
        all.put(NODES + "silent", stats.silent().size());
        all.put(NODES + "known", stats.knownNodes());
        all.putNode(stats.here());
        stats.others().forEach(all::putNode);
        stats.silent().forEach(name -> all.values.put(NODES + level(name) + "/state", "silent"));
        return all.values;
    }

    private void putBroker(NodeStats here) {
        values.put(BROKER + "version", here.version());
        values.put(BROKER + "uptime", uptime(here));
        put(BROKER + "clients/maximum", here.stats().clients().maximum());
        putSums(BROKER, here.stats());
    }

    private void putNode(ClusterStats.Node node) {
        String prefix = NODES + level(node.name());
        values.put(prefix + "/state", node.state());
        values.put(prefix + "/version", node.stats().version());
        values.put(prefix + "/uptime", uptime(node.stats()));
        put(prefix + "/clients/connected", node.stats().stats().clients().connected());
    }

    /** What makes sense for a node and for several. */
    private void putSums(String prefix, SysStats stats) {
        putClients(prefix, stats.clients());
        putTraffic(prefix, stats.traffic());
        putKept(prefix, stats.kept());
    }

    private void putClients(String prefix, Clients clients) {
        put(prefix + "clients/connected", clients.connected());
        put(prefix + "clients/disconnected", clients.disconnected());
        put(prefix + "clients/total", clients.connected() + clients.disconnected());
        put(prefix + "clients/applications", clients.applications());
    }

    private void putTraffic(String prefix, Traffic traffic) {
        put(prefix + "messages/received", traffic.packets().received());
        put(prefix + "messages/sent", traffic.packets().sent());
        put(prefix + "messages/dropped", traffic.publishesDropped());
        put(prefix + "publish/messages/received", traffic.publishes().received());
        put(prefix + "publish/messages/sent", traffic.publishes().sent());
        put(prefix + "publish/messages/dropped", traffic.publishesDropped());
        put(prefix + "publish/messages/unmatched", traffic.publishesUnmatched());
        put(prefix + "bytes/received", traffic.bytes().received());
        put(prefix + "bytes/sent", traffic.bytes().sent());
    }

    private void putKept(String prefix, StoredStats kept) {
        Subscribed subscribed = kept.subscribed();
        put(prefix + "messages/stored", kept.queuedMessages());
        put(prefix + "store/messages/count", kept.queuedMessages());
        put(prefix + "subscriptions/count", subscribed.plain());
        put(prefix + "shared_subscriptions/count", subscribed.shared());
        put(prefix + "retained messages/count", kept.retainedMessages());
    }

    private void put(String topic, long value) {
        values.put(topic, Long.toString(value));
    }

    private static String uptime(NodeStats node) {
        return node.uptimeSeconds() + " seconds";
    }

    /**
     * A name as one level of a topic: what cannot be in one is written as in a URL, and no two names become the same.
     */
    private static String level(String name) {
        StringBuilder level = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            if ("/+#%".indexOf(letter) >= 0 || Character.isISOControl(letter)) {
                level.append(String.format(Locale.ROOT, "%%%02X", (int) letter));
            } else {
                level.append(letter);
            }
        }
        return level.toString();
    }
}
