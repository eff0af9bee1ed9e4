package io.tributary.server.settings.check;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Gives settings that are {@link Verbatim} the text as it is written. */
public final class VerbatimTexts extends AbstractBindHandler {

    /** Creates it in front of another handler. */
    public VerbatimTexts(BindHandler next) {
        super(next);
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        var property = context.getConfigurationProperty();
        Object written = target.getAnnotation(Verbatim.class) == null || property == null
                ? result
                : String.valueOf(property.getValue());
        return super.onSuccess(name, target, context, written);
    }
}
