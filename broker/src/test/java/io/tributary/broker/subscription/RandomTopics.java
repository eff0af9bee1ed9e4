package io.tributary.broker.subscription;

import java.util.Random;

/**
 * Random filters and topics from few short levels, so that they often match, with the odd ones among them: some are a
 * tenant's.
 */
final class RandomTopics {
    private static final String[] LEVELS = {"a", "b", "c", "", "a-b", "$x"};
    private static final String[] TENANTS = {"\0t/", "\0u/", "", ""};
    private final Random random;

    RandomTopics(long seed) {
        random = new Random(seed);
    }

    /** A topic of one to five levels, and one more where it is a tenant's. */
    String topic() {
        return tenant() + ownTopic();
    }

    private String ownTopic() {
        StringBuilder topic = new StringBuilder(level());
        for (int i = random.nextInt(5); i > 0; i--) {
            topic.append('/').append(level());
        }
        return topic.isEmpty() ? "a" : topic.toString();
    }

    /** A filter, every other time with wildcards. */
    String filter() {
        String[] levels = ownTopic().split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            if (random.nextInt(4) == 0) {
                levels[i] = "+";
            }
        }
        if (random.nextInt(4) == 0) {
            levels[levels.length - 1] = "#";
        }
        return tenant() + String.join("/", levels);
    }

    int next(int bound) {
        return random.nextInt(bound);
    }

    private String tenant() {
        return TENANTS[random.nextInt(TENANTS.length)];
    }

    private String level() {
        return LEVELS[random.nextInt(LEVELS.length)];
    }
}
