package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.admin.Admin;

/** Kafka's admin client, of which a test sees the requests. */
final class WatchedAdmin {
    /** Of a Kafka that never answers. */
    static final KafkaConfig SILENT = KafkaConfig.defaults("localhost:1");

    private WatchedAdmin() {}

    /** Told of each request before it is sent; what it throws is how the request fails. */
    @FunctionalInterface
    interface Watcher {
        void onRequest(String method, Object argument);
    }

    static Admin of(KafkaConfig config, Watcher watcher) {
        Admin admin = KafkaTopics.connect(config);
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, method, arguments) -> {
                    watcher.onRequest(method.getName(), arguments[0]);
                    try {
                        return method.invoke(admin, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }
}
