package io.tributary.server.settings.check;

import io.tributary.common.setting.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Settings are wrong; the message has a line for each, which names it, its value, and what is allowed. */
public final class SettingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one about the setting, or the group of settings, with that name. */
    public SettingException(String name, String words) {
        super(name + ": " + words);
    }

    /** Creates one about several settings: a line for each, its name first. */
    public SettingException(List<String> lines) {
        super(String.join("\n", lines));
    }

    private SettingException(String name, IllegalArgumentException cause) {
        super(name + ": " + cause.getMessage(), cause);
    }

    /** What is wrong, a line for each setting. */
    public List<String> lines() {
        return String.valueOf(getMessage()).lines().toList();
    }

    /** Makes a part of the broker's configuration, whose complaints then name the group of settings it comes from. */
    public static <T> T naming(String group, Supplier<T> part) {
        try {
            return part.get();
        } catch (InvalidSettingException e) {
            throw new SettingException(group + "." + e.setting(), e.words());
        } catch (IllegalArgumentException e) {
            throw new SettingException(group, e);
        }
    }

    /** Makes what names the settings itself, without what all names begin with. */
    public static <T> T named(Supplier<T> whole) {
        try {
            return whole.get();
        } catch (InvalidSettingException e) {
            throw new SettingException("tributary." + e.setting(), e.words());
        }
    }

    /**
     * Makes what consists of several parts. Should that fail, the parts are tried one by one, so that a complaint is
     * about all that are wrong and not about the first alone.
     *
     * @throws SettingException about the whole, or about all parts that are wrong
     */
    public static <T> T together(Supplier<T> whole, List<? extends Supplier<?>> parts) {
        try {
            return whole.get();
        } catch (SettingException e) {
            List<String> lines = new ArrayList<>();
            for (Supplier<?> part : parts) {
                try {
                    Object _ = part.get();
                } catch (SettingException ofPart) {
                    lines.addAll(ofPart.lines());
                }
            }
            throw lines.isEmpty()
                    ? e
                    : new SettingException(lines.stream().distinct().toList());
        }
    }
}
