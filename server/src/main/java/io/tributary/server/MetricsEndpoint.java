package io.tributary.server;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusOutputFormat;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusScrapeEndpoint;

/**
 * All metrics, for Prometheus. An answer goes through all meters, and nobody has to say who they are: so two answers
 * are made at once, and others wait for their turn, in order. Who reads an answer slowly holds nobody up. Public, for
 * Spring reads its annotations.
 */
@WebEndpoint(id = "prometheus")
public class MetricsEndpoint extends PrometheusScrapeEndpoint {
    static final int AT_ONCE = 2;

    private final Semaphore turns = new Semaphore(AT_ONCE, true);
    private final Duration patience;

    /** @param patience how long an asker waits for its turn, at most */
    MetricsEndpoint(PrometheusRegistry registry, @Nullable Properties properties, Duration patience) {
        super(registry, properties);
        this.patience = patience;
    }

    /** Waits for a turn; 503 when none came in time. */
    @Override
    @ReadOperation(producesFrom = PrometheusOutputFormat.class)
    public WebEndpointResponse<byte[]> scrape(PrometheusOutputFormat format, @Nullable Set<String> includedNames) {
        try {
            if (turns.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    return super.scrape(format, includedNames);
                } finally {
                    turns.release();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new WebEndpointResponse<>(
                "too many ask for metrics at this moment\n".getBytes(StandardCharsets.UTF_8),
                WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
    }
}
