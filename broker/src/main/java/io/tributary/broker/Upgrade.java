package io.tributary.broker;

import io.tributary.broker.deployment.FormatStatus;
import io.tributary.broker.security.store.SecurityStore;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The formats that the nodes write while they are exchanged for those of a newer version, and the end of that. On hold
 * ({@code tributary.cluster.formats}) the nodes write what was written before, so that each can go back to the version
 * before, until {@link #finish}. A broker that is alone writes the newest format at once. Any thread.
 *
 * <p>Decided in docs/decisions/0014-formats.md.
 */
public final class Upgrade {
    private static final Logger LOG = LoggerFactory.getLogger(Upgrade.class);

    private final Supplier<@Nullable BrokerNode> node;
    private final SecurityStore security;

    Upgrade(Supplier<@Nullable BrokerNode> node, SecurityStore security) {
        this.node = node;
        this.security = security;
    }

    /**
     * What is written, and what keeps a newer format from it.
     *
     * @throws IllegalStateException while the broker does not serve clients
     */
    public FormatStatus status() {
        return formats(serving());
    }

    /**
     * Ends the hold at all nodes, for good. They write the newest format some seconds later, and the version before
     * cannot be started any more. Where nothing is held back, nothing changes. Any node may be asked, on hold or not.
     *
     * @param by who wants it, for the audit log
     * @param from where that one is
     * @return completes when all nodes know it; fails with an {@link IllegalStateException} when a node runs another
     *     version, in words
     */
    public CompletionStage<FormatStatus> finish(String by, String from) {
        BrokerNode at = serving();
        FormatStatus before = formats(at);
        String obstacle = before.obstacle();
        if (obstacle != null) {
            return CompletableFuture.failedStage(new IllegalStateException(obstacle));
        }
        if (before.nodes().stream().allMatch(each -> each.upTo() >= before.newest())) {
            return CompletableFuture.completedStage(before);
        }
        LOG.info("the upgrade to format {} is finished by {} from {}", before.newest(), by, from);
        Map<String, String> details =
                Map.of("before", Integer.toString(before.written()), "after", Integer.toString(before.newest()));
        return security.note(by, from, "upgrade-finish", details)
                .thenCompose(_ -> at.membership.finishUpgrade())
                .thenApply(_ -> formats(at));
    }

    private static FormatStatus formats(BrokerNode at) {
        return at.membership.formats(at.stats());
    }

    private BrokerNode serving() {
        BrokerNode at = node.get();
        if (at == null) {
            throw new IllegalStateException("this node does not serve clients at the moment");
        }
        return at;
    }
}
