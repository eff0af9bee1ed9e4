package io.tributary.common.mqtt;

/** A packet or request that MQTT or a limit of the broker forbids, with the reason code that tells the client why. */
public final class MqttException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ReasonCode reason;

    /**
     * Creates one without a stack trace: it is thrown for what clients do, so it must be cheap.
     *
     * @param reason an error code
     * @param message what is wrong, in words for the developer of the client; becomes the reason string
     */
    public MqttException(ReasonCode reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    /** The code to answer with. */
    public ReasonCode reason() {
        return reason;
    }
}
