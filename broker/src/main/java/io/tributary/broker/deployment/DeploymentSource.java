package io.tributary.broker.deployment;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Opens the place of a broker: at its start, and each time it begins anew. */
@FunctionalInterface
public interface DeploymentSource {

    /**
     * Opens it. Blocks until done.
     *
     * @param onLost to be told, at least once, when the broker must not go on with this deployment; on a thread that
     *     need not be waited for
     * @param givenUp fails when the start is not to be waited for any more, for one because the broker is closed
     * @throws io.tributary.broker.BrokerStartException when something is not as it must be, in words for the operator
     */
    Deployment open(Consumer<Loss> onLost, CompletableFuture<?> givenUp);
}
