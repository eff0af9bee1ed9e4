package io.tributary.server.settings.check;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Refuses values that are not in the range which {@link Allowed} gives their setting. */
public final class RangeCheck extends AbstractBindHandler {

    /** Creates a check in front of another handler. */
    public RangeCheck(BindHandler next) {
        super(next);
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        Allowed allowed = target.getAnnotation(Allowed.class);
        if (allowed != null) {
            Range range = new Range(allowed);
            if (!range.contains(result)) {
                throw new SettingException(name.toString(), "'" + given(context, result) + "' is not " + range.words());
            }
        }
        return super.onSuccess(name, target, context, result);
    }

    private static Object given(BindContext context, Object result) {
        var property = context.getConfigurationProperty();
        return property == null ? result : property.getValue();
    }
}
