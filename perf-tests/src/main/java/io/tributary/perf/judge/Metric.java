package io.tributary.perf.judge;

/** What is measured as a distribution, in nanoseconds. */
public enum Metric {
    /** From when a message was to be sent until a subscriber had it. */
    END_TO_END("end to end"),
    /** The same of what clients get and publish that stand by while others are measured ({@code aside}). */
    ASIDE("end to end of bystanders"),
    /** How much longer or shorter a message took from end to end than the one before it at the same subscriber. */
    JITTER("jitter: change of end to end from one message to the next"),
    /**
     * The longest time for which a subscriber that kept its connection got nothing, while others published: one value a
     * subscriber and step.
     */
    SILENCE("longest silence of each subscriber"),
    /** From when a message was to be sent until the broker's last acknowledgement: PUBACK, PUBCOMP. */
    PUBLISH("publish acknowledgement"),
    /** From when a message was to be sent until the tool sent it; the tool's own part of the other two. */
    SEND_DELAY("send delay of the tool"),
    /** From a request until its answer, over a response topic. */
    ROUND_TRIP("request and answer"),
    /** From the start of a connection until it was ready: TCP, TLS, CONNACK, SUBACK. */
    CONNECT("connect"),
    /** How much later than asked for the tool's event loops ran a task. */
    LOOP_LAG("event loop lag of the tool");

    private final String words;

    Metric(String words) {
        this.words = words;
    }

    /** What it is, for people. */
    public String words() {
        return words;
    }
}
