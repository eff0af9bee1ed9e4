package io.tributary.server.settings;

import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.http.HttpAuthenticator;
import io.tributary.security.web.WebClient;
import io.tributary.server.settings.check.SecretFile;
import io.tributary.server.settings.check.SettingException;
import java.net.URI;

/**
 * Checks the settings of an authenticator that is a service.
 *
 * @param group the name of all of them
 * @param settings the settings
 */
record HttpSettingsCheck(String group, AuthenticatorSettings settings) {

    /** The authenticator's configuration, with what its files have. */
    AuthenticatorConfig config(String realm) {
        String url = settings.url();
        if (url == null) {
            throw new SettingException(group + ".url", "is missing; it must be the address of the service");
        }
        URI address = SettingException.naming(group + ".url", () -> WebClient.address(url));
        return new HttpAuthenticator.Config(
                address,
                AuthenticatorFiles.authorities(group, settings.certificates()),
                settings.secretFile() == null
                        ? null
                        : AuthenticatorFiles.inFile(group + ".secret-file", settings.secretFile(), SecretFile::line),
                realm);
    }
}
