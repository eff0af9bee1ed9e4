package io.tributary.server.settings;

import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.Range;
import io.tributary.server.settings.check.Units;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.util.unit.DataSize;

/**
 * The names of all settings, read from the records that declare them. In a name, {@code <name>} stands for one that the
 * operator chooses, {@code [<n>]} for the place in a list, from 0 on, and {@code <property>} for all the rest of it,
 * dots included. A setting that is a list of values is given as one with commas, or as one for each place.
 */
public final class SettingCatalog {
    private static final String CHOSEN = "<name>";
    private static final String PLACE = "<n>";
    private static final String REST = "<property>";

    private SettingCatalog() {}

    /**
     * One setting.
     *
     * @param name its full name
     * @param group the record that declares it
     * @param parameter its parameter of the record's constructor
     */
    public record Setting(String name, Class<?> group, Parameter parameter) {

        /** Its default as one would write it; empty for none. */
        public String defaultValue() {
            DefaultValue value = parameter.getAnnotation(DefaultValue.class);
            return value == null ? "" : String.join(",", value.value());
        }

        /** Whether it is a list of values. */
        boolean isList() {
            return parameter.getType() == List.class;
        }

        /** The kind of its values, in a word. */
        public String type() {
            Class<?> type = parameter.getType();
            if (type == Duration.class) {
                return "duration";
            }
            if (type == DataSize.class) {
                return "size";
            }
            if (type == boolean.class || type == Boolean.class) {
                return "boolean";
            }
            if (isList()) {
                return "list";
            }
            return type.isPrimitive() || type == Integer.class ? "number" : type.isEnum() ? "choice" : "text";
        }

        /** What values are allowed, in words; empty for all of its type. */
        public String allowed() {
            Allowed allowed = parameter.getAnnotation(Allowed.class);
            if (allowed != null) {
                return new Range(allowed).words().replaceFirst("^within ", "");
            }
            return parameter.getType().isEnum() ? Units.choices(parameter.getType()) : "";
        }
    }

    /** All settings, in the order of their declaration. */
    public static List<Setting> all() {
        List<Setting> settings = new ArrayList<>();
        collect(TributarySettings.PREFIX, TributarySettings.class, settings);
        return settings;
    }

    /** Whether a setting has that name. */
    public static boolean knows(List<Setting> settings, ConfigurationPropertyName name) {
        return settings.stream()
                .anyMatch(setting -> matches(setting.name(), name)
                        || (setting.isList() && matches(setting.name() + "[" + PLACE + "]", name)));
    }

    private static boolean matches(String pattern, ConfigurationPropertyName name) {
        String[] elements = pattern.replace("[" + PLACE + "]", "." + PLACE).split("\\.", -1);
        boolean open = elements[elements.length - 1].equals(REST);
        if (name.getNumberOfElements() < elements.length || (!open && name.getNumberOfElements() > elements.length)) {
            return false;
        }
        for (int i = 0; i < (open ? elements.length - 1 : elements.length); i++) {
            if (!isMatch(elements[i], name, i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isMatch(String element, ConfigurationPropertyName name, int i) {
        return switch (element) {
            case CHOSEN -> !name.isNumericIndex(i);
            case PLACE -> name.isNumericIndex(i);
            default -> element.replace("-", "").equals(name.getElement(i, ConfigurationPropertyName.Form.UNIFORM));
        };
    }

    private static void collect(String prefix, Class<?> group, List<Setting> settings) {
        for (Parameter parameter : group.getDeclaredConstructors()[0].getParameters()) {
            String name = prefix + "." + kebabCase(nameOf(parameter));
            Class<?> type = parameter.getType();
            if (type == List.class && lastArgument(parameter).isRecord()) {
                collect(name + "[" + PLACE + "]", lastArgument(parameter), settings);
            } else if (type == Map.class) {
                Class<?> values = lastArgument(parameter);
                if (values.isRecord()) {
                    collect(name + "." + CHOSEN, values, settings);
                } else {
                    settings.add(new Setting(name + "." + REST, group, parameter));
                }
            } else if (type.isRecord()) {
                collect(name, type, settings);
            } else {
                settings.add(new Setting(name, group, parameter));
            }
        }
    }

    /** Words of Java cannot be names of components. */
    private static String nameOf(Parameter parameter) {
        Name given = parameter.getAnnotation(Name.class);
        return given == null ? parameter.getName() : given.value();
    }

    /** What a list is of, or the values of a map. */
    private static Class<?> lastArgument(Parameter parameter) {
        Type[] arguments = ((ParameterizedType) parameter.getParameterizedType()).getActualTypeArguments();
        return (Class<?>) arguments[arguments.length - 1];
    }

    private static String kebabCase(String camelCase) {
        return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
