package io.tributary.server.settings;

import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.jwt.JwtConfig;
import io.tributary.security.jwt.Keys;
import io.tributary.security.web.WebClient;
import io.tributary.server.settings.check.SecretFile;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;

/**
 * Checks the settings of an authenticator of tokens.
 *
 * @param group the name of all of them
 * @param settings the settings
 */
record JwtSettingsCheck(String group, AuthenticatorSettings settings) {

    /** The authenticator's configuration, with what its files have. */
    AuthenticatorConfig config(String realm) {
        return new JwtConfig(
                origin(),
                settings.issuer(),
                settings.audience(),
                settings.userProperty(),
                SettingException.naming(
                        group + ".claims.attributes", () -> settings.claims().claims()),
                realm);
    }

    private JwtConfig.Origin origin() {
        String keys = settings.keys();
        String secretFile = settings.secretFile();
        if ((keys == null) == (secretFile == null)) {
            throw new SettingException(
                    group + ".keys",
                    keys == null
                            ? "is missing; it must be a file with public keys, or the address of a key set; or set secret-file"
                            : "has no effect with secret-file; set one of them");
        }
        boolean onWeb = keys != null && keys.contains("://");
        if (!onWeb && settings.certificates() != null) {
            throw new SettingException(group + ".certificates", "has no effect: the keys are not on the web");
        }
        if (secretFile != null) {
            String name = group + ".secret-file";
            return new JwtConfig.InFile(
                    AuthenticatorFiles.inFile(name, secretFile, file -> Keys.secret(Keys.utf8(SecretFile.line(file)))));
        }
        if (onWeb) {
            Path authorities = AuthenticatorFiles.authorities(group, settings.certificates());
            return SettingException.naming(
                    group + ".keys", () -> new JwtConfig.Web(WebClient.address(String.valueOf(keys)), authorities));
        }
        return new JwtConfig.InFile(AuthenticatorFiles.inFile(group + ".keys", String.valueOf(keys), Keys::file));
    }
}
