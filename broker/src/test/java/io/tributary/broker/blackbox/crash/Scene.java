package io.tributary.broker.blackbox.crash;

/** What all clients of a crash test know. */
record Scene(int port, Rounds rounds, Judge judge) {

    /** What the subscribers subscribe to. */
    String filter() {
        return "crash/#";
    }

    /** Where a publisher publishes. */
    String topic(int publisher) {
        return "crash/" + publisher;
    }
}
