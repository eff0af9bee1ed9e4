package io.tributary.common.setting;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A value of a setting is not allowed. The message begins with the name of the setting: {@code network.backlog: ...}.
 */
public final class InvalidSettingException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String setting;
    private final String words;

    /**
     * Creates one.
     *
     * @param setting the name, as far as it is known where the value is checked
     * @param words the value, and what is allowed
     */
    public InvalidSettingException(String setting, String words) {
        super(setting + ": " + words);
        this.setting = setting;
        this.words = words;
    }

    private InvalidSettingException(String group, InvalidSettingException cause) {
        super(group + "." + cause.getMessage(), cause);
        setting = group + "." + cause.setting;
        words = cause.words;
    }

    /** The name of the setting. */
    public String setting() {
        return setting;
    }

    /** The value, and what is allowed. */
    public String words() {
        return words;
    }

    /** Makes a part of a configuration; a complaint then has the name of the group before that of the setting. */
    public static <T> T under(String group, Supplier<T> part) {
        try {
            return part.get();
        } catch (InvalidSettingException e) {
            throw new InvalidSettingException(group, e);
        }
    }

    /** Checks that a value is within a range, of which both ends are allowed. */
    public static void checkWithin(String setting, long value, long least, long most) {
        if (value < least || value > most) {
            throw new InvalidSettingException(setting, value + " is not within " + least + " to " + most);
        }
    }

    /** Checks that a value is not too small. */
    public static void checkAtLeast(String setting, long value, long least) {
        if (value < least) {
            throw new InvalidSettingException(setting, value + " is less than " + least);
        }
    }

    /** Checks that a time is not too short. */
    public static void checkAtLeast(String setting, Duration value, Duration least) {
        if (value.compareTo(least) < 0) {
            throw new InvalidSettingException(setting, value + " is less than " + least);
        }
    }

    /** Checks that a time is not zero, nor negative. */
    public static void checkPositive(String setting, Duration value) {
        if (!value.isPositive()) {
            throw new InvalidSettingException(setting, value + " is not positive");
        }
    }
}
