package io.tributary.broker.relocation;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The audit log, for what operators have nodes do. */
@FunctionalInterface
public interface Journal {

    /**
     * Has an entry in the audit log, as soon as a node serves clients.
     *
     * @param by who did it
     * @param from where that one was
     * @param action in a word
     * @return within some seconds: whether the entry is durable; does not fail
     */
    CompletionStage<Boolean> note(String by, String from, String action, Map<String, String> details);
}
