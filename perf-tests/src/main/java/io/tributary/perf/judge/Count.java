package io.tributary.perf.judge;

/** What is counted during a run. */
public enum Count {
    /** Messages that were due by the scenario's rates, sent or not; in a closed loop the same as {@link #SENT}. */
    DUE,
    /** Messages sent, repetitions not counted. */
    SENT,
    /** Messages whose exchange with the broker is complete; QoS 0 as soon as it is sent. */
    ACKNOWLEDGED,
    /** Messages that the broker refused with a reason code. They are not expected anywhere. */
    REFUSED,
    /** PUBLISH packets sent again after a reconnect. */
    RESENT,
    /**
     * Messages sent and not acknowledged when the session of their publisher ended, which are not sent again: they are
     * expected all the same, and nobody knows whether the broker has them.
     */
    ABANDONED,
    /**
     * Messages that waited, sent in the end or not, because as many as allowed were unacknowledged, so that the broker
     * was slower than the rate, or because the connection was lost.
     */
    BLOCKED,
    /** Messages that the tool itself sent later than its limit, though nothing but itself was in the way. */
    SENT_LATE,
    /** Deliveries that sent messages must lead to: one a matching subscriber or shared group. */
    EXPECTED,
    /** Of these, those of messages that were published in measured steps. */
    EXPECTED_MEASURED,
    /** Messages that came, repetitions included. */
    RECEIVED,
    /** Messages that came for the first time: what is lost is {@link #EXPECTED} less these. */
    FIRST,
    /** Of these, those that were published in measured steps, whenever they came. */
    FIRST_MEASURED,
    /** Messages that came again. */
    DUPLICATE,
    /** Of these, those with the DUP flag. */
    DUPLICATE_FLAGGED,
    /** First copies that came after one that was sent later on the same topic by the same publisher. */
    OUT_OF_ORDER,
    /** Messages that came so late, or into such chaos, that nobody remembers whether they came before. */
    UNDECIDED,
    /** Messages that came before they were due, as the clocks of two processes say: their latency counts as 0. */
    EARLY,
    /** Messages that are none of this run. */
    FOREIGN,
    /** Connections that were accepted. */
    CONNECTED,
    /** Connections that failed before they were ready. */
    CONNECT_FAILED,
    /** Connections that the broker, or the network, ended. */
    CONNECTION_LOST,
    /** Bytes of payload received. */
    RECEIVED_BYTES
}
