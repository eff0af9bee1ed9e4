package io.tributary.persistence.ingest;

import org.jspecify.annotations.Nullable;

/**
 * The records that back-ends produce, shared out among the nodes of a cluster. Those of one partition come in order,
 * and at least once each: again from the first that was not safe when a node is lost, or one of them failed.
 *
 * <p>What is taken and not safe yet is bounded, by {@link IngestOptions}. All methods may be called from any thread.
 */
public interface IngestSource extends AutoCloseable {

    /** Begins to read; at most once. */
    void start(Reader reader);

    /** How many records of this node's partitions are not safe yet, as far as is known. */
    long lag();

    /** How many partitions this node reads. */
    int partitions();

    /** Why records cannot be read or published at the moment, in words, or null. */
    @Nullable
    String problem();

    /**
     * Ends reading: waits for a moment for what is under way, and gives the partitions up to other nodes. Bounded;
     * doing it twice does no harm.
     */
    @Override
    void close();

    /** Takes the records, on one thread; must not block. */
    interface Reader {
        /**
         * Takes a record, unless it cannot at the moment.
         *
         * @param verdict told once what became of the record if it is taken, on any thread, perhaps before this returns
         * @return false when it is to be offered again a little later, with all behind it
         */
        boolean onRecord(IngestRecord record, Verdict verdict);
    }

    /** The outcome of a record. One of its methods is called, once, on any thread; they do not block. */
    interface Verdict {
        /** The record is done with: its message is safe for every session, or no session is to have it. */
        void safe();

        /**
         * The record can never be published: it is copied to the dead letters' topic, if there is one, and passed over.
         *
         * @param reason why, in words
         */
        void invalid(String reason);

        /** The record is not known to be safe: it and all records behind it in its partition are handed out again. */
        void failed();
    }
}
