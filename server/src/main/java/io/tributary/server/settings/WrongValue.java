package io.tributary.server.settings;

import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.Range;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.io.Resource;
import org.springframework.util.unit.DataSize;

/** The words for a value that a setting cannot have. */
public final class WrongValue {
    private WrongValue() {}

    /** The setting, its value, what is allowed, and the place in the file it comes from. */
    public static String words(BindException failure) {
        if (failure.getCause() instanceof SettingException refused) {
            return refused.getMessage() + place(failure.getProperty());
        }
        ConfigurationProperty property = failure.getProperty();
        if (property == null) {
            return failure.getName() + ": " + root(failure);
        }
        return property.getName() + ": '" + property.getValue() + "' " + expected(failure.getTarget())
                + place(property);
    }

    private static String expected(Bindable<?> target) {
        Class<?> type = target.getType().resolve(Object.class);
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
        if (type == InetAddress.class) {
            return "is not an address, nor a name that is known";
        }
        if (type == File.class) {
            return "is not the name of a file";
        }
        return type.isPrimitive() || Number.class.isAssignableFrom(type)
                ? "is not a whole number" + range(target.getAnnotation(Allowed.class))
                : "is not a " + type.getSimpleName();
    }

    private static String range(@Nullable Allowed allowed) {
        if (allowed == null) {
            return "";
        }
        return allowed.max().isEmpty() ? " of " + new Range(allowed).words() : " " + new Range(allowed).words();
    }

    /** The place in a file that a value comes from, in brackets; nothing when it comes from elsewhere. */
    static String place(@Nullable ConfigurationProperty property) {
        Origin origin = property == null ? null : property.getOrigin();
        if (origin instanceof PropertySourceOrigin source) {
            origin = source.getOrigin();
        }
        if (!(origin instanceof TextResourceOrigin text) || text.getResource() == null) {
            return "";
        }
        String line = text.getLocation() == null
                ? ""
                : ", line " + (text.getLocation().getLine() + 1);
        return " (" + file(text.getResource()) + line + ")";
    }

    /** The path of a file, as one would type it. */
    static String file(Resource resource) {
        try {
            return resource.getFile().getPath();
        } catch (IOException e) {
            return resource.getDescription();
        }
    }

    /** What the first cause of a failure says. */
    public static String root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }
}
