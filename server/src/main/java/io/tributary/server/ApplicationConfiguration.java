package io.tributary.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.cluster.ClusterBroker;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.server.settings.ServerConfig;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** The parts of the application: the broker, and what watches it. {@link SettingsCheck} gives the configuration. */
@Configuration(proxyBeanMethods = false)
@ManagementParts
class ApplicationConfiguration {

    @Bean
    BrokerMetrics brokerMetrics(MeterRegistry registry) {
        return new BrokerMetrics(registry);
    }

    @Bean
    Authentication authentication(
            ServerConfig config, ObjectProvider<BrokerExtensions> extensions, BrokerMetrics metrics) {
        return Authentication.open(config, extensions.getIfAvailable(), metrics.authentications());
    }

    /** A platform that brings a {@link BrokerExtensions} bean hangs it into the broker. */
    @Bean(destroyMethod = "") // RunningBroker closes it, and says so.
    @Lazy(false)
    Broker broker(
            ServerConfig config,
            Authentication authentication,
            ObjectProvider<BrokerExtensions> extensions,
            BrokerMetrics metrics,
            MeterRegistry registry) {
        BrokerExtensions hooks =
                extensions.getIfAvailable(() -> BrokerExtensions.NONE).with(authentication.chain());
        ClusterConfig cluster = config.cluster();
        return cluster == null
                ? Broker.start(config.broker(), hooks, metrics)
                : ClusterBroker.start(config.broker(), cluster, hooks, metrics, ClusterMetrics.registered(registry));
    }

    @Bean
    @Lazy(false)
    RunningBroker runningBroker(Broker broker, ServerConfig config) {
        return new RunningBroker(broker, config);
    }

    @Bean
    @Lazy(false)
    StatusGauges statusGauges(Broker broker, BrokerMetrics metrics) {
        return StatusGauges.register(broker::status, metrics);
    }

    @Bean
    BrokerHealth brokerHealthIndicator(Broker broker, HttpTls httpTls) {
        return new BrokerHealth(broker::status, httpTls::warnings);
    }

    @Bean
    HttpTls httpTls(ServerConfig config, BrokerMetrics metrics) {
        return new HttpTls(config.http(), metrics.tls());
    }

    @Bean
    FrontPage frontPage(PathMappedEndpoints endpoints, ObjectProvider<BuildProperties> build) {
        return new FrontPage(endpoints, build.getIfAvailable());
    }

    @Bean
    StartReport startReport(RunningBroker broker, ObjectProvider<BuildProperties> build) {
        return new StartReport(broker, build.getIfAvailable());
    }
}
