package io.tributary.broker.relocation;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The audit log, for what operators have nodes do, and what nodes do about that by themselves. */
@FunctionalInterface
public interface Journal {

    /**
     * Has an entry in the audit log, at once or as soon as a node of this process serves clients. What the audit log
     * then does not take is in the process's own log alone.
     *
     * @param by who did it, null for the broker by itself
     * @param from where that one was; the name of the node where nobody did it
     * @param action in a word
     * @return completes when nobody is to wait any more: the entry is durable, or there is no such node, or the audit
     *     log has refused it or not answered for some seconds; does not fail
     */
    CompletionStage<?> note(@Nullable String by, String from, String action, Map<String, String> details);
}
