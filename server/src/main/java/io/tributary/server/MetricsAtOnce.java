package io.tributary.server;

import java.io.IOException;
import java.util.Locale;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.SemaphoreValve;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.MediaType;

/**
 * Bounds what askers of metrics cost: each answer goes through all meters, and nobody has to say who they are. An asker
 * beyond the bound is answered 503 at once. Other paths, such as those of probes, are not bounded.
 */
final class MetricsAtOnce extends SemaphoreValve {
    /** Two Prometheus servers, as a pair has it, and as many again. */
    static final int BOUND = 4;

    private MetricsAtOnce() {
        setConcurrency(BOUND);
        setBlock(false);
    }

    /** Has Tomcat use it. */
    static WebServerFactoryCustomizer<TomcatServletWebServerFactory> customizer() {
        return factory -> factory.addContextValves(new MetricsAtOnce());
    }

    @Override
    public boolean controlConcurrency(Request request, Response response) {
        return request.getDecodedRequestURI().endsWith("/prometheus");
    }

    @Override
    public void permitDenied(Request request, Response response) throws IOException {
        response.setStatus(Response.SC_SERVICE_UNAVAILABLE);
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.getWriter()
                .write(String.format(
                        Locale.ROOT,
                        "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
                                + "\"detail\":\"%d others are given metrics at this moment, and no more are at once\"}",
                        BOUND));
    }
}
