package io.tributary.server.settings.check;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The range of a setting that is a number, a duration or a size; both ends belong to it and are written as in a file.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Allowed {

    /** The least value. */
    String min();

    /** The greatest value; empty for none. */
    String max() default "";
}
