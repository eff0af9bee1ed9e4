package io.tributary.server.blackbox.foreign;

import io.tributary.server.blackbox.foreign.ForeignClient.Setup;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;

/** The libraries, each with each version of MQTT that it speaks. */
enum Library {
    HIVEMQ_MQTT_3(3, HiveMq3::new),
    HIVEMQ_MQTT_5(5, HiveMq5::new),
    PAHO_MQTT_3_1(3, setup -> new Paho3(setup, MqttConnectOptions.MQTT_VERSION_3_1)),
    PAHO_MQTT_3(3, setup -> new Paho3(setup, MqttConnectOptions.MQTT_VERSION_3_1_1)),
    PAHO_MQTT_5(5, Paho5::new),
    MQTT_JS_3(3, setup -> new ScriptClient(ScriptHost.javaScript(), setup, 4)),
    MQTT_JS_5(5, setup -> new ScriptClient(ScriptHost.javaScript(), setup, 5)),
    PAHO_PYTHON_3(3, setup -> new ScriptClient(ScriptHost.python(), setup, 4)),
    PAHO_PYTHON_5(5, setup -> new ScriptClient(ScriptHost.python(), setup, 5));

    private final int version;

    @SuppressWarnings("ImmutableEnumChecker") // a method of a class
    private final Factory factory;

    Library(int version, Factory factory) {
        this.version = version;
        this.factory = factory;
    }

    /** Makes a client that is not connected yet. */
    @FunctionalInterface
    interface Factory {
        ForeignClient create(Setup setup) throws Exception;
    }

    boolean speaksMqtt5() {
        return version == 5;
    }

    /** MQTT 3.1 has no flag for it in CONNACK. */
    boolean knowsSessionPresent() {
        return this != PAHO_MQTT_3_1;
    }

    /** Paho sends PUBREL all the same, in Python and in Java, where it also gives the connection up. */
    boolean understandsRefusedPubrec() {
        return this == HIVEMQ_MQTT_5 || this == MQTT_JS_5;
    }

    ForeignClient create(Setup setup) throws Exception {
        return factory.create(setup);
    }
}
