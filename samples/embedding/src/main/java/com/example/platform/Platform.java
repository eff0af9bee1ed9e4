package com.example.platform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A platform with a broker in it: devices log in with a token and have a branch of topics each, plant/USER/...; the
 * platform reads their alarms in process and answers.
 */
public final class Platform {
    private static final int PORT = 1883;

    private Platform() {}

    /**
     * Starts, and runs until it is told to stop.
     *
     * @param arguments the folder of the data, the port, a user and its token; without the last two nobody can connect
     */
    public static void main(String[] arguments) throws Exception {
        Path data = Path.of(arguments.length > 0 ? arguments[0] : "data");
        int port = arguments.length > 1 ? Integer.parseInt(arguments[1]) : PORT;
        Map<String, String> tokens = arguments.length > 3 ? Map.of(arguments[2], arguments[3]) : Map.of();
        Broker broker = start(data, port, tokens);
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
        serve(broker);
        System.out.println("listening: " + broker.listeners());
        Thread.currentThread().join();
    }

    /** A broker with the platform's own parts, for clients of this machine. */
    public static Broker start(Path data, int port, Map<String, String> tokens) {
        BrokerConfig config = BrokerConfig.builder(data)
                .nodeName("platform")
                .listener(ListenerConfig.tcp("devices", port))
                .retained(retained -> retained.maxMessages(10_000))
                .build();
        BrokerExtensions extensions = BrokerExtensions.builder()
                .authenticator(new Tokens(tokens))
                .authorizer(new OwnBranch())
                .publishInterceptor(new NoEmptyAlarms())
                .build();
        return Broker.start(config, extensions, BrokerMetrics.unregistered());
    }

    /** Reads the alarms of all plants, and answers each. Called on threads of the broker: nothing here blocks. */
    private static void serve(Broker broker) {
        broker.subscribe("plant/+/alarm", QoS.AT_LEAST_ONCE, alarm -> {
            System.out.println(alarm.topic() + ": " + new String(alarm.payload(), UTF_8));
            String answer = alarm.topic().replace("/alarm", "/command");
            broker.publish(Message.of(answer, "stop".getBytes(UTF_8), QoS.AT_LEAST_ONCE))
                    .whenComplete((matched, failure) ->
                            System.out.println(failure == null ? "answered on " + answer : "not answered: " + failure));
        });
    }

    /** Who may connect. A platform that has to ask another system completes the stage when that has answered. */
    private record Tokens(Map<String, String> tokens) implements Authenticator {
        @Override
        public CompletionStage<Result> authenticate(ClientInfo client, byte[] password) {
            String token = client.userName() == null ? null : tokens.get(client.userName());
            boolean isRight =
                    token != null && password != null && MessageDigest.isEqual(token.getBytes(UTF_8), password);
            return CompletableFuture.completedFuture(
                    isRight
                            ? new Accepted()
                            : new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "not the token of this user"));
        }
    }

    /** What a device may do: anything in its own branch, and nothing elsewhere. */
    private static final class OwnBranch implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            // Without a connection it is a will on its way; whether it may be set was asked at CONNECT.
            return !client.isConnectionKnown() || isOwn(client, topic);
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return isOwn(client, topicFilter);
        }

        /** Asked again behind maySubscribe; with nothing that changes meanwhile, yes is enough. */
        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            return true;
        }

        private static boolean isOwn(ClientInfo client, String topic) {
            return topic.startsWith("plant/" + client.userName() + "/");
        }
    }

    /** What becomes of a message: an alarm without words is refused. */
    private static final class NoEmptyAlarms implements PublishInterceptor {
        @Override
        public Decision onPublish(ClientInfo publisher, Message message) {
            return message.topic().endsWith("/alarm") && message.payload().length == 0
                    ? new Refuse(ReasonCode.PAYLOAD_FORMAT_INVALID, "an alarm has words")
                    : new Proceed(message);
        }
    }
}
