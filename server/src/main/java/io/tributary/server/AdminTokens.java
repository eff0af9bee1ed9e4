package io.tributary.server;

import io.tributary.broker.BrokerStartException;
import io.tributary.server.api.AdminToken;
import io.tributary.server.settings.SecuritySettings;
import io.tributary.server.settings.ServerConfig;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the token of administrators: in the file of the setting, or alone in one that the first start makes. */
final class AdminTokens {
    private static final Logger LOG = LoggerFactory.getLogger(AdminTokens.class);
    private static final String FILE = "admin.token";

    private AdminTokens() {}

    /** The token; null where nothing opens the API, which is said in the log. */
    static @Nullable AdminToken open(ServerConfig config) {
        Path given = config.security().adminTokenFile();
        if (given != null) {
            return AdminToken.of(SecuritySettings.ADMIN_TOKEN_FILE, given, System::nanoTime);
        }
        if (config.cluster() != null) {
            LOG.info("the API is closed: {} names no file with its token", SecuritySettings.ADMIN_TOKEN_FILE);
            return null;
        }
        try {
            AdminToken token = AdminToken.made(
                    SecuritySettings.ADMIN_TOKEN_FILE,
                    config.broker().dataDirectory().resolve(FILE),
                    System::nanoTime);
            LOG.info("the API is opened by the token in {}", token.file());
            return token;
        } catch (UncheckedIOException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
    }
}
