package io.tributary.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.Rules;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.StoredRules;
import io.tributary.cluster.ClusterBroker;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.server.api.ApiController;
import io.tributary.server.api.OperationsResource;
import io.tributary.server.api.SecurityResource;
import io.tributary.server.api.Seed;
import io.tributary.server.api.SessionResource;
import io.tributary.server.api.UpgradeResource;
import io.tributary.server.settings.ServerConfig;
import io.tributary.server.settings.TributarySettings;
import io.tributary.server.settings.check.SettingException;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** The parts of the application: the broker, and what watches it. {@link SettingsCheck} gives the configuration. */
@Configuration(proxyBeanMethods = false)
@ManagementParts
class ApplicationConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(ApplicationConfiguration.class);
    private static final String RULES = TributarySettings.PREFIX + ".security.rules";

    /** Half of the ten seconds that Prometheus waits for an answer. */
    private static final Duration METRICS_PATIENCE = Duration.ofSeconds(5);

    /** In the place of Spring's. */
    @Bean
    OpenFiles openFiles() {
        return new OpenFiles();
    }

    @Bean
    BrokerMetrics brokerMetrics(MeterRegistry registry) {
        return new BrokerMetrics(registry);
    }

    /** That of a platform's {@link BrokerExtensions}, if they have one. */
    @Bean
    SecurityStore securityStore(ObjectProvider<BrokerExtensions> extensions, BrokerMetrics metrics) {
        SecurityStore given =
                extensions.getIfAvailable(() -> BrokerExtensions.NONE).security();
        return given == null ? new SecurityStore(metrics.security()) : given;
    }

    @Bean
    Authentication authentication(
            ServerConfig config,
            ObjectProvider<BrokerExtensions> extensions,
            SecurityStore store,
            BrokerMetrics metrics) {
        return Authentication.open(config, extensions.getIfAvailable(), store, metrics.authentications());
    }

    /** The API of administrators, at the port of health and metrics; made when the broker has its data directory. */
    @Bean
    @Lazy(false)
    ApiController api(Broker broker, ServerConfig config, Authentication authentication, BrokerMetrics metrics) {
        SecurityResource security = new SecurityResource(
                broker.security(),
                broker.guard().refusedClients(),
                authentication.context().hashing(),
                broker::tenantUse);
        OperationsResource operations = new OperationsResource(
                config.broker().nodeName(), config.broker().stop().drainRate(), broker.drain(), broker.rebalance());
        return new ApiController(
                AdminTokens.open(config),
                security,
                operations,
                new UpgradeResource(broker.upgrade()),
                new SessionResource(broker.sessions()),
                metrics.security());
    }

    /** A platform that brings a {@link BrokerExtensions} bean hangs it into the broker. */
    @Bean(destroyMethod = "") // RunningBroker closes it, and says so.
    @Lazy(false)
    Broker broker(
            ServerConfig config,
            Authentication authentication,
            SecurityStore store,
            ObjectProvider<BrokerExtensions> extensions,
            BrokerMetrics metrics,
            MeterRegistry registry) {
        BrokerExtensions hooks = withRules(
                        extensions.getIfAvailable(() -> BrokerExtensions.NONE).with(authentication.chain()),
                        config.rules(),
                        store)
                .with(store);
        ClusterConfig cluster = config.cluster();
        return cluster == null
                ? Broker.start(config.broker(), hooks, metrics)
                : ClusterBroker.start(config.broker(), cluster, hooks, metrics, ClusterMetrics.registered(registry));
    }

    /** Lets the rules of the configuration and of the store decide, unless the platform does. */
    static BrokerExtensions withRules(BrokerExtensions hooks, List<RuleSet> configured, SecurityStore store) {
        if (hooks.authorizer().equals(Authorizer.allowAll())) {
            Rules rules = new Rules(configured);
            StoredRules.decideIn(rules, configured, store);
            return hooks.with(rules);
        }
        if (!configured.isEmpty()) {
            throw new SettingException(RULES, "has no effect: the application brings an Authorizer of its own");
        }
        LOG.warn("the application brings an Authorizer of its own: rule sets of the store have no effect");
        return hooks;
    }

    /** Puts the objects of a file into the store, beside the rest of the start. */
    @Bean
    @Lazy(false)
    Thread seeding(Broker broker, ServerConfig config) {
        Path seed = config.security().seed();
        return Thread.ofPlatform().name("tributary-seed").daemon().start(() -> {
            if (seed != null) {
                Seed.read(seed, new ArrayList<>()).putInto(broker.security());
            }
        });
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
        return new BrokerHealth(
                broker::status, httpTls::warnings, () -> broker.drain().status());
    }

    @Bean
    HttpTls httpTls(ServerConfig config, BrokerMetrics metrics) {
        return new HttpTls(config.http(), metrics.tls());
    }

    /** Nothing where no port is set; clients are served by then, and until then HAProxy hears nothing. */
    @Bean
    @Lazy(false)
    AgentCheck agentCheck(RunningBroker running, ServerConfig config) {
        Broker broker = running.broker();
        AgentAnswer answer = new AgentAnswer(
                broker::status,
                () -> broker.drain().status(),
                ProcessLimits::processorsUsed,
                broker::loopLag,
                System::nanoTime);
        return new AgentCheck(config.agentCheck(), answer);
    }

    @Bean
    WebFolder webFolder(@Value("${server.tomcat.basedir:#{null}}") @Nullable File base) {
        return new WebFolder(base);
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemReport() {
        return ProblemReport.customizer();
    }

    @Bean
    MetricsEndpoint metricsEndpoint(PrometheusRegistry registry, PrometheusConfig config) {
        return new MetricsEndpoint(registry, config.prometheusProperties(), METRICS_PATIENCE);
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
