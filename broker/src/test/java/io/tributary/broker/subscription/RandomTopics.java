package io.tributary.broker.subscription;

import java.util.Random;

/** Random filters and topics from few short levels, so that they often match, with the odd ones among them. */
final class RandomTopics {
    private static final String[] LEVELS = {"a", "b", "c", "", "a-b", "$x"};
    private final Random random;

    RandomTopics(long seed) {
        random = new Random(seed);
    }

    /** A topic of one to five levels. */
    String topic() {
        StringBuilder topic = new StringBuilder(level());
        for (int i = random.nextInt(5); i > 0; i--) {
            topic.append('/').append(level());
        }
        return topic.isEmpty() ? "a" : topic.toString();
    }

    /** A filter, every other time with wildcards. */
    String filter() {
        String[] levels = topic().split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            if (random.nextInt(4) == 0) {
                levels[i] = "+";
            }
        }
        if (random.nextInt(4) == 0) {
            levels[levels.length - 1] = "#";
        }
        return String.join("/", levels);
    }

    int next(int bound) {
        return random.nextInt(bound);
    }

    private String level() {
        return LEVELS[random.nextInt(LEVELS.length)];
    }
}
