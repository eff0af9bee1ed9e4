package io.tributary.server.settings.check;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A text that is taken as it is written: Spring Boot puts nothing in for what is between <code>${</code> and {@code }}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Verbatim {}
