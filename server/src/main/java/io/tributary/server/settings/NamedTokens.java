package io.tributary.server.settings;

import io.tributary.cluster.secret.ChangingSecret;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tokens in a file, and whose each is: lines {@code NAME:TOKEN}, or one line with a token alone, which is
 * {@value #ALONE}'s. The broker's own names in the audit log are in brackets, which no name here can have.
 */
public final class NamedTokens {
    /** Whose a token is that stands alone. */
    public static final String ALONE = "admin";

    private static final int MOST = 100;
    private static final Pattern NAMED = Pattern.compile("([\\w.@-]{1,64}):(\\S+)");

    private NamedTokens() {}

    /**
     * The names by the tokens. Several tokens may be of one name.
     *
     * @param setting the setting that names the file
     * @throws SettingException when the file cannot be used, with the reason and without a token
     */
    public static Map<String, String> read(String setting, Path file) {
        List<String> lines = SettingException.naming(setting, () -> ChangingSecret.lines(file, MOST));
        Map<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String place = "'" + file + "', line " + (i + 1) + ", ";
            Matcher named = NAMED.matcher(lines.get(i));
            boolean hasName = named.matches();
            if (!hasName && (lines.size() > 1 || lines.get(i).indexOf(':') >= 0)) {
                throw new SettingException(
                        setting, place + "must be NAME:TOKEN, where a name has letters, digits and ._@- only");
            }
            String token = hasName ? named.group(2) : lines.get(i);
            if (token.length() < SecuritySettings.LEAST_TOKEN_CHARACTERS) {
                throw new SettingException(
                        setting,
                        place + "must have a token of " + SecuritySettings.LEAST_TOKEN_CHARACTERS
                                + " characters or more");
            }
            if (names.put(token, hasName ? named.group(1) : ALONE) != null) {
                throw new SettingException(setting, place + "has a token that is there already");
            }
        }
        return names;
    }
}
