package io.tributary.cluster.kafka;

import io.tributary.cluster.secret.ChangingSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;

/**
 * Tells Kafka's clients user and password at each new connection, as the file of the password has it by then:
 * {@code sasl.client.callback.handler.class}, with the options {@code username} and {@value #FILE} in
 * {@code sasl.jaas.config}. Any thread.
 */
public final class PasswordFileCallbacks implements AuthenticateCallbackHandler {
    /** The option of the login module that says where the password is. */
    public static final String FILE = "passwordFile";

    private static final String USER = "username";

    /** All clients of a process share what was read last, so that a file that is wrong for a while keeps none out. */
    private static final Map<Path, ChangingSecret<String>> FILES = new ConcurrentHashMap<>();

    private String user = "";
    private Path file = Path.of("");

    /** Kafka creates it by its name. */
    public PasswordFileCallbacks() {}

    @Override
    public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> login) {
        Map<String, ?> options = login.isEmpty() ? Map.of() : login.getFirst().getOptions();
        user = option(options, USER);
        file = Path.of(option(options, FILE));
    }

    private static String option(Map<String, ?> options, String name) {
        if (!(options.get(name) instanceof String value)) {
            throw new ConfigException("sasl.jaas.config: " + name + " is missing");
        }
        return value;
    }

    @Override
    public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
        for (Callback callback : callbacks) {
            switch (callback) {
                case NameCallback name -> name.setName(user);
                case PasswordCallback password ->
                    password.setPassword(password().toCharArray());
                default -> throw new UnsupportedCallbackException(callback);
            }
        }
    }

    private String password() throws IOException {
        try {
            return FILES.computeIfAbsent(file, ChangingSecret::password).read();
        } catch (IllegalArgumentException e) {
            throw new IOException("the password cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {}
}
