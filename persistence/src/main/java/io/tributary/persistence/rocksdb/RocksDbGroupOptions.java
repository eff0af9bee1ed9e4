package io.tributary.persistence.rocksdb;

/**
 * How application groups are kept in the embedded database.
 *
 * @param deliveryLimit how often a message is taken before it is given up, 1 to 1,000,000
 * @param maxDeadLetters how many messages that were given up are kept, 1 to 1,000,000; beyond it the oldest are dropped
 * @param deadLetterBytes how many bytes of them, at least 1 KiB; the latest one is kept, however large
 */
public record RocksDbGroupOptions(int deliveryLimit, int maxDeadLetters, long deadLetterBytes) {
    private static final int MILLION = 1_000_000;

    public RocksDbGroupOptions {
        if (deliveryLimit < 1 || deliveryLimit > MILLION) {
            throw new IllegalArgumentException("delivery limit " + deliveryLimit + ": must be 1 to 1,000,000");
        }
        if (maxDeadLetters < 1 || maxDeadLetters > MILLION) {
            throw new IllegalArgumentException("dead letters " + maxDeadLetters + ": must be 1 to 1,000,000");
        }
        if (deadLetterBytes < 1024) {
            throw new IllegalArgumentException("dead letter bytes " + deadLetterBytes + ": must be at least 1 KiB");
        }
    }

    /** The defaults: given up after five times, 10,000 dead letters, 64 MiB of them. */
    public static RocksDbGroupOptions defaults() {
        return new RocksDbGroupOptions(5, 10_000, 64L * 1024 * 1024);
    }

    /** The same with another limit of deliveries. */
    public RocksDbGroupOptions withDeliveryLimit(int newDeliveryLimit) {
        return new RocksDbGroupOptions(newDeliveryLimit, maxDeadLetters, deadLetterBytes);
    }

    /** The same with another number of dead letters. */
    public RocksDbGroupOptions withMaxDeadLetters(int newMaxDeadLetters) {
        return new RocksDbGroupOptions(deliveryLimit, newMaxDeadLetters, deadLetterBytes);
    }
}
