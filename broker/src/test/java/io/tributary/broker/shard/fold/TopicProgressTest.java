package io.tributary.broker.shard.fold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TopicProgressTest {
    private static final long PACKET_IDS = 65_535;
    /** A client that keeps more than that unacknowledged is none that we know. */
    private static final long WINDOW = 500;

    /** What it received of a topic that is gone, and had no PUBREL for, it takes for received when it comes again. */
    @Test
    void aClientHasNoPacketIdentifierInUseOfAnyTopicThatWasDeletedWhenTheNextOneBegins() {
        for (int topics = 1; topics <= 40; topics++) {
            long ahead = Math.floorMod(topics * TopicProgress.LEAP, PACKET_IDS);
            assertThat(Math.min(ahead, PACKET_IDS - ahead))
                    .as("after %d topics", topics)
                    .isGreaterThan(WINDOW);
        }
    }

    @Test
    void aClientHasTensOfThousandsOfMessagesBeforeAPacketIdentifierOfTheTopicBeforeComesAgain() {
        long ahead = Math.floorMod(TopicProgress.LEAP, PACKET_IDS);
        assertThat(Math.min(ahead, PACKET_IDS - ahead)).isGreaterThan(25_000);
    }

    @Test
    void numbersOfTheNextTopicAreAboveAllThatCanHaveBeenUsed() {
        assertThat(TopicProgress.LEAP).isGreaterThan(1L << 31);
    }
}
