package io.tributary.server.blackbox.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What clients noticed beside what they were promised: how their connections ended, how long each was away then, and
 * how long messages took. Thread-safe.
 */
public final class Experience {
    /** A DISCONNECT or CONNACK in words: its reason is enough. */
    private static final Pattern SHORT = Pattern.compile("(?:Disconnect|Connack)\\[.*?reason=(\\w+).*");

    private final Map<String, Integer> ends = new TreeMap<>();
    private final Map<String, Integer> refusals = new TreeMap<>();
    private final List<Long> absencesNanos = new ArrayList<>();
    private long longestWaitNanos;

    /** One client's part of it. Confined to the client's thread. */
    final class Client {
        private long endedAtNanos;
        private boolean away;

        /** The broker accepted the connection. */
        void connected() {
            if (away) {
                away = false;
                returned(System.nanoTime() - endedAtNanos);
            }
        }

        /** A connection broke, or an attempt to connect failed. */
        void ended(Throwable why) {
            Experience.this.ended(why, away);
            if (!away) {
                away = true;
                endedAtNanos = System.nanoTime();
            }
        }
    }

    Client client() {
        return new Client();
    }

    private synchronized void ended(Throwable why, boolean again) {
        String words = SHORT.matcher(String.valueOf(why.getMessage())).replaceFirst("$1");
        (again ? refusals : ends).merge(words, 1, Integer::sum);
    }

    private synchronized void returned(long absenceNanos) {
        absencesNanos.add(absenceNanos);
    }

    /** A subscriber got a message so long after its publisher was to publish it. */
    synchronized void waited(long nanos) {
        longestWaitNanos = Math.max(longestWaitNanos, nanos);
    }

    /** How many connections ended with which words; of a DISCONNECT its reason is among them. */
    public synchronized Map<String, Integer> ends() {
        return Map.copyOf(ends);
    }

    /** How many attempts to connect failed, of clients that were away, with which words. */
    public synchronized Map<String, Integer> refusals() {
        return Map.copyOf(refusals);
    }

    /** How many clients came back. */
    public synchronized int absences() {
        return absencesNanos.size();
    }

    /** How long clients were away: no more than this in so many of a hundred cases; 0 without any. */
    public synchronized long absenceNanos(int percent) {
        List<Long> sorted = absencesNanos.stream().sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    /** From when a message was to be published until a subscriber that was not sent away had it, at most. */
    public synchronized long longestWaitNanos() {
        return longestWaitNanos;
    }
}
