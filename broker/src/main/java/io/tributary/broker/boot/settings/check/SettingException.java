package io.tributary.broker.boot.settings.check;

import java.util.function.Supplier;

/** A setting is wrong; the message names it, its value, and what is allowed. */
public final class SettingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one about the setting, or the group of settings, with that name. */
    public SettingException(String name, String words) {
        super(name + ": " + words);
    }

    private SettingException(String name, IllegalArgumentException cause) {
        super(name + ": " + cause.getMessage(), cause);
    }

    /** Makes a part of the broker's configuration, whose complaints then name the group of settings it comes from. */
    public static <T> T naming(String group, Supplier<T> part) {
        try {
            return part.get();
        } catch (IllegalArgumentException e) {
            throw new SettingException(group, e);
        }
    }
}
