package io.tributary.broker.boot;

import io.tributary.broker.boot.settings.RepeatedSettings;
import org.springframework.boot.context.event.ApplicationContextInitializedEvent;
import org.springframework.context.ApplicationListener;

/** Looks at the program's arguments before anything is made from them. */
final class ArgumentCheck implements ApplicationListener<ApplicationContextInitializedEvent> {

    @Override
    public void onApplicationEvent(ApplicationContextInitializedEvent event) {
        RepeatedSettings.refuse(event.getArgs());
    }
}
