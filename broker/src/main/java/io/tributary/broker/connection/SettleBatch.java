package io.tributary.broker.connection;

import java.util.Arrays;

/**
 * Acknowledgements of a client in this turn of the event loop. At the turn's end the session's owner gets one call for
 * the settled messages and one for the PUBRECs. A transient session has no owner to tell. Confined to the event loop.
 */
final class SettleBatch {
    private final ConnectionContext context;
    private final Identity identity;
    private final Sequences settled = new Sequences();
    private final Sequences received = new Sequences();
    private boolean asked;

    SettleBatch(ConnectionContext context, Identity identity) {
        this.context = context;
        this.identity = identity;
    }

    /** The message is done with. */
    void settle(long sequence) {
        add(settled, sequence);
    }

    /** The PUBREC of the message came. */
    void received(long sequence) {
        add(received, sequence);
    }

    /** Tells the owner, if there is any acknowledgement to tell. */
    void send() {
        asked = false;
        if (received.size > 0) {
            context.backend().shards().received(identity.clientId(), identity.epoch(), received.take());
        }
        if (settled.size > 0) {
            context.backend().shards().settle(identity.clientId(), identity.epoch(), settled.take());
        }
    }

    private void add(Sequences sequences, long sequence) {
        if (!identity.persistent()) {
            return;
        }
        sequences.add(sequence);
        if (!asked) {
            asked = true;
            context.loop().atEndOfTurn(this::send);
        }
    }

    private static final class Sequences {
        private long[] values = new long[4];
        private int size;

        private void add(long value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, 2 * size);
            }
            values[size++] = value;
        }

        private long[] take() {
            long[] taken = Arrays.copyOf(values, size);
            size = 0;
            return taken;
        }
    }
}
