package io.tributary.broker.relocation;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The audit log, for what operators have nodes do, and what nodes do about that by themselves. */
@FunctionalInterface
public interface Journal {

    /**
     * Has an entry in the audit log, as soon as a node serves clients.
     *
     * @param by who did it, null for the broker by itself
     * @param from where that one was; the name of the node where nobody did it
     * @param action in a word
     * @return within some seconds: whether the entry is durable; does not fail
     */
    CompletionStage<Boolean> note(@Nullable String by, String from, String action, Map<String, String> details);
}
