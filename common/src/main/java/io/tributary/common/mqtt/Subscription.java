package io.tributary.common.mqtt;

/**
 * One entry of a SUBSCRIBE packet.
 *
 * @param filter the topic filter as the client wrote it, {@code $share/...} included
 * @param maximumQos the quality of service asked for
 * @param noLocal whether the client's own messages are left out
 * @param retainAsPublished whether RETAIN is passed on as the publisher set it
 * @param retainHandling when retained messages are sent
 */
public record Subscription(
        String filter, QoS maximumQos, boolean noLocal, boolean retainAsPublished, RetainHandling retainHandling) {

    /** The same with another quality of service. */
    public Subscription withMaximumQos(QoS newMaximumQos) {
        return new Subscription(filter, newMaximumQos, noLocal, retainAsPublished, retainHandling);
    }

    /** When a subscription brings the retained messages that match it. */
    public enum RetainHandling {
        /** At every SUBSCRIBE, 0 on the wire. */
        SEND,
        /** Only when the subscription did not exist, 1 on the wire. */
        SEND_IF_NEW,
        /** Never, 2 on the wire. */
        DO_NOT_SEND
    }
}
