package io.tributary.server;

import java.io.File;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

/**
 * Where the web server of health and metrics has the folders that it wants and does not use. With
 * {@code server.tomcat.basedir}, none is made for temporary files: its folder {@code root}, which is empty, is there
 * already, as in the image, whose files nobody can change.
 *
 * @param base null for folders that are made at each start
 */
record WebFolder(@Nullable File base) implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {
    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        if (base != null) {
            factory.setDocumentRoot(new File(base, "root"));
        }
    }
}
