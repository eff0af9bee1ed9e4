package io.tributary.server;

import java.io.IOException;
import java.io.Writer;
import java.util.Locale;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * What the web server itself refuses, such as a path with an encoded slash, is answered as RFC 9457 has it, too, and
 * not by Tomcat's page. Public, for Tomcat makes it.
 */
public final class ProblemReport extends ErrorReportValve {

    /** Has Tomcat use it. */
    static WebServerFactoryCustomizer<TomcatServletWebServerFactory> customizer() {
        return factory -> factory.addContextCustomizers(context -> {
            if (context.getParent() instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemReport.class.getName());
            }
        });
    }

    @Override
    protected void report(Request request, Response response, @Nullable Throwable failure) {
        HttpStatus status = HttpStatus.resolve(response.getStatus());
        if (status == null || !status.isError() || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        String json = String.format(
                Locale.ROOT,
                "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,"
                        + "\"detail\":\"the web server takes no such request: a path, for one, must not have %%2F, %%5C or %%00\"}",
                status.getReasonPhrase(),
                status.value());
        try {
            response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
            Writer writer = response.getReporter();
            if (writer != null) {
                writer.write(json);
                response.finishResponse();
            }
        } catch (IOException | IllegalStateException e) {
            container.getLogger().debug("a refused request was not answered", e);
        }
    }
}
