package io.tributary.server;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.BrokerStartException;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import io.tributary.cli.UsageException;
import io.tributary.cluster.ClusterBroker;
import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.metrics.ClusterMetrics;
import io.tributary.cluster.redis.RedisStoreException;
import io.tributary.cluster.reshard.Reshard;
import io.tributary.cluster.reshard.ReshardException;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.time.SteadyClock;
import io.tributary.server.settings.ServerConfig;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code tributary cluster reshard}: another number of shards for a cluster whose nodes are stopped. */
@Command(name = "reshard", customSynopsis = ReshardCommand.USE, description = ReshardCommand.WHAT)
public final class ReshardCommand implements Subcommand, Runnable {
    static final String WHAT =
            "Give a cluster another number of shards, with all its sessions, queues and wills, while none"
                    + " of its nodes runs. It reads the settings of a node and needs what a node needs; --KEY=VALUE is any of"
                    + " them, as for run. It may be broken off, and called again, at any moment. Exit codes: 0 done; 1 it failed, and may be called again; 2 wrong use.";
    static final String USE = "tributary cluster reshard --shards=N --yes [--KEY=VALUE...]";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--shards", paramLabel = "N", description = "How many shards the cluster is to have, 1 to 16384.")
    private @Nullable Integer shards;

    @Option(names = "--yes", description = "Do it; without this it says what it would do.")
    private boolean yes;

    @Option(
            names = "--abandon",
            description = "Give up what was begun and broken off: the cluster has the shards of before.")
    private boolean abandon;

    @Unmatched
    private List<String> settings = new ArrayList<>();

    /** Nothing but the settings. */
    @Configuration(proxyBeanMethods = false)
    static class NoParts {}

    /** Called by the launcher, with what it was called with after {@code reshard}. */
    public static void main(String[] words) {
        Program.main(new ReshardCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof ReshardException
                || failure instanceof BrokerStartException
                || failure instanceof KafkaAccessException
                || failure instanceof RedisStoreException
                || failure instanceof UnreadableRecordException;
    }

    @Override
    public void run() {
        int wanted = shards == null ? 0 : shards;
        if (abandon == (shards != null)) {
            throw new UsageException("give --shards=N, or --abandon");
        }
        if (!abandon && (wanted < 1 || wanted > TopicNeeds.MOST_SHARDS)) {
            throw new UsageException("--shards=" + wanted + ": must be 1 to " + TopicNeeds.MOST_SHARDS);
        }
        for (String word : settings) {
            if (!RunCommand.isSetting(word)) {
                throw new UnmatchedArgumentException(spec.commandLine(), List.of(word));
            }
        }
        SpringApplication application = TributaryApplication.application(NoParts.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = read(application)) {
            change(context.getBean(ServerConfig.class), wanted);
        }
    }

    private ConfigurableApplicationContext read(SpringApplication application) {
        try {
            return application.run(settings.toArray(String[]::new));
        } catch (RuntimeException e) {
            // What is wrong is printed already, by StartFailureReporter.
            throw new UsageException("nothing was changed: the settings of a node cannot be read", e);
        }
    }

    private void change(ServerConfig config, int wanted) {
        ClusterConfig cluster = config.cluster();
        if (cluster == null) {
            throw new UsageException("tributary.mode is not cluster: a broker alone keeps the shards that it has");
        }
        Reshard reshard = new Reshard(
                cluster,
                config.broker().largestPackets().maxPacketBytes(),
                (shards, joined) -> startOwner(config, shards, joined),
                this::say,
                new SteadyClock());
        if (abandon) {
            reshard.abandon();
        } else if (yes) {
            reshard.to(wanted);
        } else {
            say("the cluster has " + reshard.shards()
                    + " shards. With --yes, which needs all its nodes to be stopped, it gets "
                    + wanted
                    + ": sessions, queues and wills are written anew beside the old ones, compared, and switched to;"
                    + " then the old ones are deleted. Redis and Kafka need room for both. Nothing was changed");
        }
    }

    private void say(String words) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(words);
        out.flush();
    }

    /** What of a node has to do with wills and queues, with the rules by which it judges them; no listeners. */
    private static Broker startOwner(ServerConfig config, ClusterConfig cluster, Runnable joined) {
        BrokerMetrics metrics = BrokerMetrics.unregistered();
        SecurityStore store = new SecurityStore(metrics.security());
        BrokerExtensions rules = ApplicationConfiguration.withRules(BrokerExtensions.NONE, config.rules(), store)
                .with(store);
        return ClusterBroker.startOnly(
                config.broker().withoutListeners().toBuilder()
                        .canary(canary -> canary.interval(Duration.ZERO))
                        .build(),
                cluster,
                rules,
                metrics,
                ClusterMetrics.unregistered(),
                () -> check(joined));
    }

    private static void check(Runnable joined) {
        try {
            joined.run();
        } catch (ReshardException | KafkaAccessException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
    }
}
