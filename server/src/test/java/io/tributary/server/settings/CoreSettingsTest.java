package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.ApplicationsConfig;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.StopConfig;
import io.tributary.broker.canary.CanaryConfig;
import io.tributary.broker.connection.ConnectLimits;
import io.tributary.broker.connection.InboundLimits;
import io.tributary.broker.connection.OutboundLimits;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.NetworkConfig;
import io.tributary.broker.retained.RetainedLimits;
import io.tributary.broker.routing.PriorityConfig;
import io.tributary.broker.routing.PriorityRule;
import io.tributary.broker.security.OnRevocation;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.broker.shard.QueueLimits;
import io.tributary.broker.shard.ShardConfig;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.setting.InvalidSettingException;
import io.tributary.persistence.rocksdb.RocksDbOptions;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What can be set in a file can be set by a program that embeds the broker, under the same name. */
class CoreSettingsTest {
    private static final String PREFIX = "tributary.";
    private static final String OF_A_LISTENER = "listeners.<name>.";

    /** What the core is told otherwise, and how. */
    private static final Map<String, String> OTHERWISE = Map.ofEntries(
            Map.entry("mode", "by Broker.start, or ClusterBroker.start of tributary-cluster"),
            Map.entry("cluster.", "by the ClusterConfig of tributary-cluster"),
            Map.entry("agent-check.", "the core says loopLag(); an application answers its balancer itself"),
            Map.entry("http.", "the core has no port of health and metrics"),
            Map.entry("ingest.", "by the ClusterConfig of tributary-cluster"),
            Map.entry("stop-timeout", "of the process; stop(stop -> stop.longest(...)) is half of it"),
            Map.entry("listeners.<name>.enabled", "a listener that is off is not added"),
            Map.entry("listeners.<name>.tls.", "by the TlsConfig of the listener"),
            Map.entry("listeners.<name>.proxy-protocol.", "by the ProxyProtocolConfig of the listener"),
            Map.entry("listeners.<name>.path", "in ListenerKind.WebSocket"),
            Map.entry("applications.rules[<n>].", "by the conditions of ClientRules"),
            Map.entry("priorities.rules[<n>].", "by the PriorityRules of the PriorityConfig"),
            Map.entry("listeners.<name>.authentication", "by the chains of AuthenticatorChain"),
            Map.entry("security.admin-token-file", "the core has no API; an application changes its SecurityStore"),
            Map.entry("security.seed", "an application changes its SecurityStore"),
            Map.entry("security.rules[<n>].", "by the Rules of the BrokerExtensions"),
            Map.entry("security.exempt", "by the GuardConfig of the broker"),
            Map.entry("security.unauthenticated.", "by the GuardConfig of the broker"),
            Map.entry("security.connect-rate.", "by the GuardConfig of the broker"),
            Map.entry("security.bans.", "by the GuardConfig of the broker"),
            Map.entry("security.anonymous", "by the chains of AuthenticatorChain"),
            Map.entry("security.authenticators.", "by the authenticators of tributary-security"));

    @Test
    void eachSettingOfTheCoreHasAMethodOfTheBuilderWithItsName() throws IOException {
        List<String> settings = settings();
        assertThat(settings).hasSizeGreaterThan(100);
        assertThat(settings.stream()
                        .filter(name -> OTHERWISE.keySet().stream().noneMatch(known -> isOf(known, name)))
                        .filter(name -> !isReachable(name)))
                .isEmpty();
    }

    @Test
    void nothingIsOnTheListThatIsNoSettingOrHasAMethod() throws IOException {
        List<String> settings = settings();
        assertThat(OTHERWISE.keySet()).allSatisfy(known -> {
            assertThat(settings).anyMatch(name -> isOf(known, name));
            assertThat(settings).noneMatch(name -> isOf(known, name) && isReachable(name));
        });
    }

    /** Of each group the record; its builder has the values. */
    static List<Class<?>> groups() {
        return List.of(
                ApplicationsConfig.class,
                CanaryConfig.class,
                ConnectLimits.class,
                DecoderLimits.class,
                InboundLimits.class,
                NetworkConfig.class,
                OutboundLimits.class,
                PriorityConfig.class,
                QueueLimits.class,
                RetainedLimits.class,
                RocksDbOptions.class,
                ShardConfig.class,
                SharedChoice.class,
                StopConfig.class,
                SubscriptionLimits.class);
    }

    @ParameterizedTest
    @MethodSource("groups")
    void eachMethodChangesOneValueAndIsKeptByToBuilder(Class<?> group) throws ReflectiveOperationException {
        Object usual = built(group.getMethod("builder").invoke(null));
        for (Method setter : setters(group)) {
            Object changed = changed(group, setter);
            assertThat(differences(usual, changed)).as("%s", setter).hasSize(1);
            assertThat(built(group.getMethod("toBuilder").invoke(changed)))
                    .as("%s", setter)
                    .isEqualTo(changed);
        }
    }

    @Test
    void wholeIsKeptByToBuilder() {
        BrokerConfig config = BrokerConfig.builder(Path.of("elsewhere"))
                .nodeName("b")
                .listener(ListenerConfig.builder("tcp", 1)
                        .host("127.0.0.2")
                        .maxConnections(2)
                        .connectRate(3)
                        .connectBurst(4)
                        .limits(limits -> limits.packets(packets -> packets.maxSize(5)))
                        .build())
                .storage(storage -> storage.shards(6))
                .applications(applications -> applications.catchUpMessages(7).maxDeliveries(8))
                .securitySessions(SessionTakeover.ANYONE)
                .securityOnRevocation(OnRevocation.DISCONNECT)
                .queues(queues -> queues.maxMessages(9))
                .priorities(part -> part.userProperty("priority").rules(List.of(PriorityRule.of("a", "a/#", 1))))
                .subscriptions(subscriptions -> subscriptions.maxPerClient(10))
                .sharedSubscriptions(shared -> shared.localFirst(true))
                .retained(retained -> retained.maxMessages(11))
                .network(network -> network.backlog(12))
                .shards(shards -> shards.threads(13))
                .stop(stop -> stop.drainRate(14))
                .canary(canary -> canary.roundsBeforeReady(15))
                .sysInterval(Duration.ZERO)
                .build();
        assertThat(config.toBuilder().build()).usingRecursiveComparison().isEqualTo(config);
        assertThat(config)
                .usingRecursiveComparison()
                .isNotEqualTo(BrokerConfig.builder(Path.of("elsewhere")).build());
    }

    /** Wrong values, and what is said of them. */
    static Stream<Map.Entry<String, Consumer<BrokerConfig.Builder>>> wrong() {
        Map<String, Consumer<BrokerConfig.Builder>> wrong = Map.ofEntries(
                Map.entry("node-name: 'a#b' must not be empty or have a # in it", to -> to.nodeName("a#b")),
                Map.entry("network.backlog: 0 is less than 1", to -> to.network(network -> network.backlog(0))),
                Map.entry("network.linger: PT0S is not positive", to -> to.network(part -> part.linger(Duration.ZERO))),
                Map.entry("queues.max-messages: 0 is not within 1 to 65535", to -> to.queues(q -> q.maxMessages(0))),
                Map.entry("shards.window-size: 1 is less than 1024", to -> to.shards(part -> part.windowSize(1))),
                Map.entry("storage.cache-size: 1 is less than 1048576", to -> to.storage(part -> part.cacheSize(1))),
                Map.entry(
                        "subscriptions.max-size: 1 is less than 1024", to -> to.subscriptions(part -> part.maxSize(1))),
                Map.entry("retained.max-size: -1 is less than 0", to -> to.retained(part -> part.maxSize(-1))),
                Map.entry(
                        "priorities.user-property: '' must not be empty; leave it out for none",
                        to -> to.priorities(part -> part.userProperty(""))),
                Map.entry(
                        "priorities.rules[1].name: 'a' is the name of rules[0] too; each needs one of its own",
                        to -> to.priorities(part ->
                                part.rules(List.of(PriorityRule.of("a", "a", 0), PriorityRule.of("a", "b", 0))))),
                Map.entry(
                        "applications.max-deliveries: -1 is less than 0",
                        to -> to.applications(a -> a.maxDeliveries(-1))),
                Map.entry(
                        "applications.catch-up-size: -1 is less than 0", to -> to.applications(a -> a.catchUpSize(-1))),
                Map.entry(
                        "canary.interval: PT0.01S is neither 0.1 s to 1 h nor zero, for no canary",
                        to -> to.canary(canary -> canary.interval(Duration.ofMillis(10)))),
                Map.entry("canary.timeout: PT0S is not 0.1 s to 1 h", to -> to.canary(c -> c.timeout(Duration.ZERO))),
                Map.entry(
                        "canary.rounds-before-ready: -1 is not within 0 to 1000",
                        to -> to.canary(canary -> canary.roundsBeforeReady(-1))),
                Map.entry("stop.drain-rate: -1 is not within 0 to 1000000", to -> to.stop(part -> part.drainRate(-1))),
                Map.entry(
                        "sys.interval: PT0.1S is neither at least 1 s nor zero, for no $SYS topics",
                        to -> to.sysInterval(Duration.ofMillis(100))),
                Map.entry(
                        "listeners: two are named 'a'",
                        to -> to.listener(ListenerConfig.tcp("a", 0)).listener(ListenerConfig.tcp("a", 0))),
                Map.entry(
                        "listeners.a.port: 65536 is not within 0 to 65535",
                        to -> to.listener(ListenerConfig.tcp("a", 65_536))),
                Map.entry(
                        "listeners.a.limits.connect.max-keep-alive: 65536 is not within 0 to 65535",
                        to -> to.listener(ListenerConfig.builder("a", 0)
                                .limits(limits -> limits.connect(part -> part.maxKeepAlive(Duration.ofSeconds(65_536))))
                                .build())),
                Map.entry(
                        "listeners.a.limits.packets.max-topic-levels: 0 is less than 1",
                        to -> to.listener(ListenerConfig.builder("a", 0)
                                .limits(limits -> limits.packets(packets -> packets.maxTopicLevels(0)))
                                .build())));
        return wrong.entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void wrongValueIsNamedAsItsSettingIs(Map.Entry<String, Consumer<BrokerConfig.Builder>> one) {
        assertThatThrownBy(() -> {
                    BrokerConfig.Builder to = BrokerConfig.builder(Path.of("data"));
                    one.getValue().accept(to);
                    to.build();
                })
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(one.getKey());
    }

    private static List<String> settings() throws IOException {
        try (InputStream list = CoreSettingsTest.class.getResourceAsStream("settings.txt")) {
            return new String(Objects.requireNonNull(list).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.substring(PREFIX.length(), line.indexOf('=')))
                    .toList();
        }
    }

    private static boolean isOf(String known, String name) {
        return known.endsWith(".") ? name.startsWith(known) : name.equals(known);
    }

    private static boolean isReachable(String name) {
        if (name.startsWith(OF_A_LISTENER)) {
            return isReachable(ListenerConfig.Builder.class, words(name.substring(OF_A_LISTENER.length())));
        }
        return isReachable(BrokerConfig.Builder.class, words(name))
                || (name.startsWith("limits.") && isReachable(ListenerConfig.Builder.class, words(name)));
    }

    private static List<String> words(String name) {
        return List.of(name.split("\\."));
    }

    private static boolean isReachable(Class<?> builder, List<String> words) {
        String whole = camelCase(String.join("-", words));
        for (Method method : builder.getMethods()) {
            if (method.getParameterCount() != 1) {
                continue;
            }
            Class<?> group = group(method);
            if (group == null && method.getName().equals(whole)) {
                return true;
            }
            if (group != null
                    && words.size() > 1
                    && method.getName().equals(camelCase(words.getFirst()))
                    && isReachable(group, words.subList(1, words.size()))) {
                return true;
            }
        }
        return false;
    }

    /** The builder that a method lets one change. */
    private static @Nullable Class<?> group(Method method) {
        return method.getGenericParameterTypes()[0] instanceof ParameterizedType type
                        && type.getRawType() == Consumer.class
                ? (Class<?>) type.getActualTypeArguments()[0]
                : null;
    }

    private static String camelCase(String name) {
        String[] words = name.split("-");
        StringBuilder camel = new StringBuilder(words[0]);
        for (String word : Arrays.asList(words).subList(1, words.length)) {
            camel.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return camel.toString();
    }

    /** The methods for single values; which clients are applications is no value that a test could make up. */
    private static List<Method> setters(Class<?> group) throws ReflectiveOperationException {
        Class<?> builder = group.getMethod("builder").getReturnType();
        List<Method> setters = Stream.of(builder.getDeclaredMethods())
                .filter(method -> method.getParameterCount() == 1)
                .filter(method -> !method.getName().equals("rules"))
                .toList();
        assertThat(setters).isNotEmpty();
        return setters;
    }

    private static Object built(Object builder) throws ReflectiveOperationException {
        return builder.getClass().getMethod("build").invoke(builder);
    }

    /** With a value that is not the default: the next, or where that is not allowed, the one before. */
    private static Object changed(Class<?> group, Method setter) throws ReflectiveOperationException {
        Object refusal = null;
        for (int step : new int[] {1, -1}) {
            Object builder = group.getMethod("builder").invoke(null);
            Field field = builder.getClass().getDeclaredField(setter.getName());
            field.setAccessible(true);
            setter.invoke(builder, other(field.get(builder), setter.getParameterTypes()[0], step));
            try {
                return built(builder);
            } catch (InvocationTargetException e) {
                refusal = e.getCause();
            }
        }
        throw new AssertionError(setter + ": " + refusal);
    }

    private static Object other(@Nullable Object value, Class<?> type, int step) {
        if (value == null) {
            return type == Duration.class ? Duration.ofHours(1) : "other";
        }
        return switch (value) {
            case Integer number -> number + step;
            case Long number -> number + step;
            case Boolean flag -> !flag;
            case Duration time -> time.plusSeconds(10L * step);
            case Enum<?> constant -> next(constant);
            default -> throw new AssertionError("no other value of " + type);
        };
    }

    private static Object next(Enum<?> constant) {
        return Stream.of(constant.getDeclaringClass().getEnumConstants())
                .filter(other -> !other.equals(constant))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> differences(Object one, Object other) throws ReflectiveOperationException {
        List<String> different = new ArrayList<>();
        for (RecordComponent component : one.getClass().getRecordComponents()) {
            Method value = component.getAccessor();
            if (!Objects.equals(value.invoke(one), value.invoke(other))) {
                different.add(component.getName());
            }
        }
        return different;
    }
}
