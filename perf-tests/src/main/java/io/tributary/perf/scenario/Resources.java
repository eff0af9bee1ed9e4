package io.tributary.perf.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Files beside classes. */
public final class Resources {
    private Resources() {}

    /** A file beside the classes of this package. */
    static String text(String name) {
        return text(Resources.class, name);
    }

    /**
     * A file beside a class.
     *
     * @throws ScenarioException if there is none of the name
     */
    public static String text(Class<?> beside, String name) {
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new ScenarioException("there is no " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
