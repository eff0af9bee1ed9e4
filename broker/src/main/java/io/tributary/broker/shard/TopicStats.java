package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import java.util.HashMap;
import java.util.Map;

/**
 * The owner's figures of its applications' topics, until their sessions are over. Confined to the thread of the driver.
 */
final class TopicStats {
    private final Map<SessionState, OfTopic> byClient = new HashMap<>();

    /** The figures of an application's topic; unknown ones when they are asked for first. */
    OfTopic of(SessionState client) {
        return byClient.computeIfAbsent(client, _ -> new OfTopic());
    }

    /** A session is over. */
    void ended(SessionState client) {
        byClient.remove(client);
    }

    /** The figures of one topic. */
    static final class OfTopic {
        private static final double WEIGHT_OF_A_PAGE = 0.2;

        private double meanBytes = ApplicationLag.UNKNOWN;
        private long end;

        /** The mean size of the messages read lately; {@link ApplicationLag#UNKNOWN} when none was read yet. */
        double meanBytes() {
            return meanBytes;
        }

        /** A page was read, whose messages have this mean size. */
        void read(double pageMeanBytes) {
            meanBytes = Double.isNaN(meanBytes)
                    ? pageMeanBytes
                    : meanBytes + (pageMeanBytes - meanBytes) * WEIGHT_OF_A_PAGE;
        }

        /** The position behind the topic's last record when that was asked last, 0 before. */
        long end() {
            return end;
        }

        /** The topic was asked for its end. */
        void endsAt(long position) {
            end = position;
        }
    }
}
