package io.tributary.server;

import io.tributary.broker.BrokerStartException;
import io.tributary.broker.network.ListenException;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.link.LinkListenException;
import io.tributary.cluster.node.NodeNameInUseException;
import io.tributary.cluster.redis.RedisStoreException;
import io.tributary.persistence.rocksdb.StorageException;
import io.tributary.server.settings.TributarySettings;
import io.tributary.server.settings.WrongValue;
import io.tributary.server.settings.check.SettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.config.ConfigDataLocationNotFoundException;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.web.server.PortInUseException;

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
            return "server.port: " + ManagementPort.inUse(port.getPort(), "in use");
        }
        ConfigDataLocationNotFoundException file = cause(failure, ConfigDataLocationNotFoundException.class);
        if (file != null) {
            return "spring.config: " + file.getMessage() + "; begun with optional: it may be missing";
        }
        BindException binding = cause(failure, BindException.class);
        return binding != null ? WrongValue.words(binding) : WrongValue.root(failure);
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

    /** The nearest cause of that type, the failure itself included. */
    static <T extends Throwable> @Nullable T cause(Throwable failure, Class<T> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return type.cast(cause);
            }
        }
        return null;
    }
}
