package io.tributary.server.blackbox.walk;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A broker whose ways are recorded, in classes of its own. */
public interface WalkedNode extends AutoCloseable {

    /** Starts a broker that is alone. */
    static WalkedNode alone(Path data) {
        return start("", "alone", data);
    }

    /**
     * Starts a node of a cluster that has one shard.
     *
     * @param data a folder whose name is that of the cluster
     */
    static WalkedNode member(String name, Path data, String kafka, List<String> redis) {
        return start(name, "member", name, data, kafka, redis);
    }

    private static WalkedNode start(String node, String how, Object... arguments) {
        try {
            Class<?> type = new WeavingLoader(node).loadClass(EmbeddedNode.class.getName());
            Method method = Arrays.stream(type.getDeclaredMethods())
                    .filter(each -> each.getName().equals(how))
                    .findFirst()
                    .orElseThrow();
            method.setAccessible(true); // of another loader, so of another package
            return (WalkedNode) method.invoke(null, arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Where it listens. */
    int port();

    /** Whether it owns a shard. */
    boolean ownsShards();

    @Override
    void close();
}
