package io.tributary.broker.boot;

import io.tributary.broker.BrokerStartException;
import io.tributary.broker.boot.settings.TributarySettings;
import io.tributary.broker.boot.settings.check.SettingException;
import io.tributary.broker.boot.settings.check.Units;
import io.tributary.broker.cluster.NodeNameInUseException;
import io.tributary.broker.link.LinkListenException;
import io.tributary.broker.network.ListenException;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.persistence.kafka.KafkaAccessException;
import io.tributary.persistence.redis.RedisStoreException;
import io.tributary.persistence.rocksdb.StorageException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.util.unit.DataSize;

/** Why the application did not start, in words that name the setting to change. */
final class StartFailure {
    private static final String DATA_DIR = TributarySettings.PREFIX + ".data-dir";
    private static final String CLUSTER = TributarySettings.PREFIX + ".cluster";

    private StartFailure() {}

    /** The words for the most telling of a failure's causes. */
    static String words(Throwable failure) {
        SettingException setting = cause(failure, SettingException.class);
        if (setting != null) {
            return String.valueOf(setting.getMessage());
        }
        ListenException listen = cause(failure, ListenException.class);
        if (listen != null) {
            return cannotListen(listen);
        }
        BrokerStartException broker = cause(failure, BrokerStartException.class);
        if (broker != null) {
            return origin(broker) + broker.getMessage();
        }
        PortInUseException port = cause(failure, PortInUseException.class);
        if (port != null) {
            return "server.port: '" + port.getPort() + "' is in use; this is the port of health and metrics, "
                    + "and --server.port=0 picks a free one";
        }
        BindException binding = cause(failure, BindException.class);
        return binding != null ? wrongValue(binding) : root(failure);
    }

    /** The settings that a failure of the broker is about, where that is known. */
    private static String origin(BrokerStartException failure) {
        if (cause(failure, StorageException.class) != null) {
            return DATA_DIR + ": ";
        }
        if (cause(failure, KafkaAccessException.class) != null) {
            return CLUSTER + ".kafka: ";
        }
        if (cause(failure, RedisStoreException.class) != null) {
            return CLUSTER + ".redis: ";
        }
        if (cause(failure, LinkListenException.class) != null) {
            return CLUSTER + ".link: ";
        }
        return cause(failure, NodeNameInUseException.class) != null ? TributarySettings.PREFIX + ".node-name: " : "";
    }

    private static String cannotListen(ListenException failure) {
        ListenerConfig listener = failure.listener();
        String setting = TributarySettings.PREFIX + ".listeners." + listener.name();
        return switch (failure.reason()) {
            case PORT_IN_USE ->
                setting + ".port: '" + listener.port() + "' on " + listener.host() + " is in use by another process; "
                        + "choose another with " + portOption(listener.name());
            case UNKNOWN_HOST ->
                setting + ".host: '" + listener.host()
                        + "' is not an address of this machine, nor a name that is known";
            case OTHER -> setting + ": " + failure.getMessage();
        };
    }

    private static String portOption(String listener) {
        return switch (listener) {
            case "tcp" -> "--port N";
            case "ws" -> "--ws-port N";
            default -> "--" + TributarySettings.PREFIX + ".listeners." + listener + ".port=N";
        };
    }

    private static String wrongValue(BindException failure) {
        ConfigurationProperty property = failure.getProperty();
        if (property == null) {
            return failure.getName() + ": " + root(failure);
        }
        return failure.getName() + ": '" + property.getValue() + "' "
                + expected(failure.getTarget().getType().resolve(Object.class)) + origin(property);
    }

    private static String expected(Class<?> type) {
        if (type.isEnum()) {
            return "is not one of " + Units.choices(type);
        }
        if (type == Duration.class) {
            return "is not a duration, such as 500ms, 10s or 5m";
        }
        if (type == DataSize.class) {
            return "is not a size, such as 64KB or 10MB";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "is not one of true, false";
        }
        return type.isPrimitive() || Number.class.isAssignableFrom(type)
                ? "is not a whole number of its range"
                : "is not a " + type.getSimpleName();
    }

    private static String origin(ConfigurationProperty property) {
        Origin origin = property.getOrigin();
        if (origin instanceof PropertySourceOrigin source) {
            origin = source.getOrigin();
        }
        return origin instanceof TextResourceOrigin file ? " (" + file + ")" : "";
    }

    private static String root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }

    private static <T extends Throwable> @Nullable T cause(Throwable failure, Class<T> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }
}
