package io.tributary.persistence.ingest;

import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which topics are read, and how far ahead.
 *
 * @param topics the topics that back-ends produce to, at least one; nodes of a cluster have the same
 * @param deadLetters the topic that records are copied to when they cannot be published, or null to only count them
 * @param maxRecords how many records of one partition may be taken that are not safe yet, 1 to 10,000
 * @param maxBytes how many bytes of them, at least 1; a larger record is taken alone
 */
public record IngestOptions(List<String> topics, @Nullable String deadLetters, int maxRecords, long maxBytes) {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    public IngestOptions {
        topics = List.copyOf(topics);
        if (topics.isEmpty()) {
            throw new IllegalArgumentException("topics: there must be at least one");
        }
        topics.forEach(IngestOptions::checkName);
        if (new HashSet<>(topics).size() != topics.size()) {
            throw new IllegalArgumentException("topics " + topics + ": one of them is there twice");
        }
        if (deadLetters != null) {
            checkName(deadLetters);
            if (topics.contains(deadLetters)) {
                throw new IllegalArgumentException("dead letters " + deadLetters
                        + ": must not be a topic that is read, or its records would go round");
            }
        }
        if (maxRecords < 1 || maxRecords > 10_000) {
            throw new IllegalArgumentException("records " + maxRecords + ": must be 1 to 10,000");
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("bytes " + maxBytes + ": must be positive");
        }
    }

    private static void checkName(String topic) {
        if (!NAME.matcher(topic).matches() || topic.equals(".") || topic.equals("..")) {
            throw new IllegalArgumentException(
                    "topic '" + topic + "': must be 1 to 249 letters, digits, '.', '_', '-'");
        }
    }
}
