package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerStartException;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.redis.RedisStoreException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartFailureTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            storage.sync=sometimes                   | tributary.storage.sync: 'sometimes' is not one of always, interval, os
            security.sessions=nobody                 | tributary.security.sessions: 'nobody' is not one of principal, anyone
            security.on-revocation=ignore            | tributary.security.on-revocation: 'ignore' is not one of remove, disconnect
            data-dir=                                | tributary.data-dir: must not be empty
            cluster.shards=64                        | tributary.cluster.shards: has no effect without tributary.mode=cluster
            ingest.topics=commands                   | tributary.ingest.topics: has no effect without tributary.mode=cluster
            mode=clustered                           | tributary.mode: 'clustered' is not one of standalone, cluster
            storage.sync-interval=fast               | tributary.storage.sync-interval: 'fast' is not a duration, such as 500ms, 10s or 5m
            storage.sync-interval=0ms                | tributary.storage.sync-interval: '0ms' is not at least 1ms
            storage.cache-size=10 apples             | tributary.storage.cache-size: '10 apples' is not a size, such as 64KB or 10MB
            storage.shards=70000                     | tributary.storage.shards: '70000' is not within 1 to 65535
            listeners.tcp.port=70000                 | tributary.listeners.tcp.port: '70000' is not within 0 to 65535
            listeners.tcp.port=mqtt                  | tributary.listeners.tcp.port: 'mqtt' is not a whole number within 0 to 65535
            listeners.tcp.kind=quic                  | tributary.listeners.tcp.kind: 'quic' is not one of tcp, websocket
            listeners.ws.path=mqtt                   | tributary.listeners.ws: path mqtt: must begin with /
            listeners.more.host=0.0.0.0              | tributary.listeners.more.port: is missing; it must be within 0 to 65535 (0 picks a free port)
            listeners.tcp.enabled=maybe              | tributary.listeners.tcp.enabled: 'maybe' is not one of true, false
            listeners.ws.limits.packets.max-size=1GB | tributary.listeners.ws.limits.packets.max-size: '1GB' is not within 1KB to 256MB
            limits.packets.max-size=1GB              | tributary.limits.packets.max-size: '1GB' is not within 1KB to 256MB
            limits.connect.max-client-id-length=5    | tributary.limits.connect.max-client-id-length: '5' is not within 23 to 16384
            network.write-low=1MB                    | tributary.network.write-low: '1MB' is more than write-high, which is 64KB
            node-name=a#b                            | tributary.node-name: 'a#b' must not be empty or have a # in it
            sys.interval=10ms                        | tributary.sys.interval: '10ms' is neither at least 1s nor 0, for no $SYS topics
            listeners.ws.port=1883                   | tributary.listeners.ws.port: '1883' is the port of the listener 'tcp' too; each needs one of its own
            applications.rules[0].kind=firehose      | tributary.applications.rules[0].kind: 'firehose' is not one of device, application
            applications.rules[0].client-id=app-*    | tributary.applications.rules[0].kind: is missing; it must be one of device, application
            applications.rules[0].kind=application   | tributary.applications.rules[0]: has no condition; it must have one or more of client-id, user-name, certificate-subject, listener, user-property
            applications.rules[0].client-id=         | tributary.applications.rules[0].client-id: '' is an empty pattern
            applications.rules[0].user-name=regex:(  | tributary.applications.rules[0].user-name: 'regex:(' is not a regular expression of RE2: error parsing regexp: missing closing ): `(`
            applications.rules[0].listener=tpc       | tributary.applications.rules[0].listener: 'tpc' is not the name of a listener; there are tcp, ws
            storage.sync-interval=-1s                | tributary.storage.sync-interval: '-1s' is not at least 1ms
            storage.cache-size=0                     | tributary.storage.cache-size: '0' is not at least 1MB
            storage.shards=many                      | tributary.storage.shards: 'many' is not a whole number within 1 to 65535
            storage.shards=1.5                       | tributary.storage.shards: '1.5' is not a whole number within 1 to 65535
            listeners.tcp.port=                      | tributary.listeners.tcp.port: is missing; it must be within 0 to 65535 (0 picks a free port)
            listeners.tcp.port=-1                    | tributary.listeners.tcp.port: '-1' is not within 0 to 65535
            listeners.tcp.max-connections=lots       | tributary.listeners.tcp.max-connections: 'lots' is not a whole number of at least 1
            listeners.tcp.max-connections=0          | tributary.listeners.tcp.max-connections: '0' is not at least 1
            listeners.tcp=1883                       | tributary.listeners.tcp: is a group of settings, such as tributary.listeners.tcp.enabled; in a YAML file they are indented below it
            listeners[0].port=1883                   | tributary.listeners[0].port: is a part of a list, and tributary.listeners is none; it has a name in this place, such as tributary.listeners.tcp
            applications.rules.a.client-id=a         | tributary.applications.rules.a.client-id: has no place in the list; the first of tributary.applications.rules is tributary.applications.rules[0]
            storage=always                           | tributary.storage: is a group of settings, such as tributary.storage.sync; in a YAML file they are indented below it
            sync=always                              | tributary.sync: there is no such setting; did you mean tributary.storage.sync?
            stop-timeout=0s                          | tributary.stop-timeout: '0s' is not within 1s to 1h
            stop-timeout=20 s                        | tributary.stop-timeout: '20 s' is not a duration, such as 500ms, 10s or 5m
            network.event-loops=-2                   | tributary.network.event-loops: '-2' is not within 0 to 1024
            applications.rules[0].user-property==a   | tributary.applications.rules[0].user-property: '=a' is not a user property, written name=value
            priorities.user-property=                | tributary.priorities.user-property: '' must not be empty; leave it out for none
            priorities.rules=                        | tributary.priorities.rules: is a list, and must not be empty; its first part is tributary.priorities.rules[0]
            priorities.rules[0].topic-filter=a       | tributary.priorities.rules[0].name: is missing; it must be 1 to 64 letters, digits, - and _
            priorities.rules[0].name=alarms          | tributary.priorities.rules[0].topic-filter: is missing; it must be a topic filter, such as alarms/#
            priorities.rules[0].priority=4           | tributary.priorities.rules[0].priority: '4' is not within 0 to 3
            priorities.rules[0].priority=high        | tributary.priorities.rules[0].priority: 'high' is not a whole number within 0 to 3
            security.rules=                          | tributary.security.rules: is a list, and must not be empty; its first part is tributary.security.rules[0]
            security.rules[0].name=devices           | tributary.security.rules[0].rules: has no rules, and would allow nothing; it must have 1 to 1000
            security.rules[0].rules[0].topic=a       | tributary.security.rules[0].rules[0]: must have either allow or deny, one of publish, subscribe, all
            security.rules[0].rules[0].allow=all     | tributary.security.rules[0].rules[0].topic: is missing; it must be a topic filter, such as devices/#
            security.rules[0].rules[0].allow=read    | tributary.security.rules[0].rules[0].allow: 'read' is not one of publish, subscribe, all
            security.rules[0].rules[0].max-qos=3     | tributary.security.rules[0].rules[0].max-qos: '3' is not within 0 to 2
            security.rules[0].rules[0].retain=maybe  | tributary.security.rules[0].rules[0].retain: 'maybe' is not one of true, false
            security.rules[0].for.grops=a            | tributary.security.rules[0].for.grops: there is no such setting; did you mean tributary.security.rules[0].for.groups?
            security.rules[0].for.groups=            | tributary.security.rules[0].for.groups: has an empty value; leave it out for all clients
            security.rules[0].for.client-ids=regex:( | tributary.security.rules[0].for.client-ids[0]: 'regex:(' is not a regular expression of RE2: error parsing regexp: missing closing ): `(`
            security.rules[0].for.listeners=tcp,wss  | tributary.security.rules[0].for.listeners[1]: 'wss' is not the name of a listener; there are tcp, ws
            security.rules[0].for.addresses=10.0.0.1/8 | tributary.security.rules[0].for.addresses[0]: '10.0.0.1/8' has bits behind its prefix of 8 bits; they must be 0
            security.rules[0].for=devices            | tributary.security.rules[0].for: is a group of settings, such as tributary.security.rules[0].for.groups; in a YAML file they are indented below it
            """)
    void wrongValueIsNamedWithWhatIsAllowed(String setting, String words) {
        assertThat(Applications.failure("--tributary." + setting)).isEqualTo(words);
    }

    /** Names and values that are Spring Boot's, and arguments that are none. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --tribtary.data-dir=x                     | tribtary.data-dir: there is no such setting; did you mean tributary.data-dir?
            --data-dir=x                              | data-dir: there is no such setting; did you mean tributary.data-dir?
            --storage.sync=always                     | storage.sync: there is no such setting; did you mean tributary.storage.sync?
            --tributary=x                             | tributary: is a group of settings, such as tributary.mode; in a YAML file they are indented below it
            --mqtt.port=1883                          | mqtt.port: there is no such setting; docs/configuration.md lists all that there are
            --server.adress=0.0.0.0                   | server.adress: there is no such setting; did you mean server.address?
            --server.prt=0                            | server.prt: there is no such setting; did you mean server.port?
            --server=0                                | server: is a group of settings, such as server.address; in a YAML file they are indented below it
            --servr.port=0                            | servr.port: there is no such setting; did you mean server.port?
            --loging.level.root=info                  | loging.level.root: there is no such setting; did you mean logging.level.root?
            --logging.levels.root=info                | logging.levels.root: there is no such setting; did you mean logging.level.root?
            --management.endpoints.web.exposure.inclde=health | management.endpoints.web.exposure.inclde: there is no such setting; did you mean management.endpoints.web.exposure.include?
            --spring.config.additional-locaton=file:x | spring.config.additional-locaton: there is no such setting; did you mean spring.config.additional-location?
            --spring.datasource.url=jdbc:h2:mem       | spring.datasource.url: there is no such setting; docs/configuration.md lists all that there are
            --logging.level.root=loud                 | logging.level.root: 'loud' is not one of trace, debug, info, warn, error, fatal, off
            --logging.structured.format.console=json  | logging.structured.format.console: 'json' is not one of ecs, gelf, logstash, nor the name of a class
            --logging.config=nowhere.xml              | logging.config: 'nowhere.xml' is not a file that can be read
            --logging.file.name=/dev/null/tributary.log | logging.file.name: '/dev/null/tributary.log' is not a file that can be written
            --spring.config.additional-location=file:nowhere/ | spring.config: Config data location 'file:nowhere/' cannot be found; begun with optional: it may be missing
            tributary.data-dir=x                      | tributary.data-dir: is not written as a setting, which is --key=value
            -p                                        | -p: is not written as a setting, which is --key=value
            """)
    void argumentThatMeansNothingIsNamedWithWhatWasMeant(String argument, String words) {
        assertThat(Applications.failure(argument)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tributary:\\n\\tstorage:\\n                     | , line 2: is no YAML: while scanning for the next token, found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)
            tributary:\\n  mode: cluster\\n  mode: x\\n     | , line 3: is no YAML: while constructing a mapping, found duplicate key mode
            tributary:\\n  listeners:\\n    - port: 1\\n    | tributary.listeners[0].port: is a part of a list, and tributary.listeners is none; it has a name in this place, such as tributary.listeners.tcp (FILE, line 3)
            tributary:\\n  storge:\\n    sync: os\\n       | tributary.storge.sync: there is no such setting; did you mean tributary.storage.sync? (FILE, line 3)
            tributary:\\n  storage:\\n    sync: never\\n   | tributary.storage.sync: 'never' is not one of always, interval, os (FILE, line 3)
            tributary:\\n  storage:\\n    shards: 0\\n     | tributary.storage.shards: '0' is not within 1 to 65535 (FILE, line 3)
            """)
    void mistakeInAFileIsNamedWithFileAndLine(String text, String words, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("tributary.yaml");
        Files.writeString(file, text.translateEscapes());
        assertThat(Applications.failure("--spring.config.additional-location=file:" + folder + "/"))
                .isEqualTo(words.startsWith(",") ? file + words : words.replace("FILE", file.toString()));
    }

    @Test
    void wronglyIndentedSettingsAreNamed(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("tributary.yaml");
        Files.writeString(file, "tributary:\n  storage:\n  sync: always\n");
        assertThat(Applications.failure("--spring.config.additional-location=file:" + folder + "/"))
                .isEqualTo("""
                        tributary.storage: is a group of settings, such as tributary.storage.sync; in a YAML file they are indented \
                        below it (FILE, line 2)
                        tributary.sync: there is no such setting; did you mean tributary.storage.sync? (FILE, line 3)""".replace("FILE", file.toString()));
    }

    @Test
    void fileOfCommentsAloneIsFine(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("tributary.yaml"), "tributary:\n#  node-name: a\n");
        assertThat(Applications.config("--spring.config.additional-location=file:" + folder + "/")
                        .nodeName())
                .isEqualTo("tributary");
    }

    @Test
    void namesThatBeginWithXAreTheOperatorsOwn(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("tributary.yaml"), """
                x-site: north
                x-small: &small
                  publish:
                    rate: 10
                tributary:
                  node-name: ${x-site}-1
                  listeners:
                    tcp:
                      limits:
                        <<: *small
                """);
        String place = "--spring.config.additional-location=file:" + folder + "/";
        BrokerConfig config = Applications.config(place);
        assertThat(config.nodeName()).isEqualTo("north-1");
        assertThat(config.listeners().getFirst().limits().inbound().rate().perSecond())
                .isEqualTo(10);
        Files.writeString(file, "site: north\ntributary:\n  x-site: north\n");
        assertThat(Applications.failure(place).lines())
                .satisfiesExactlyInAnyOrder(
                        own -> assertThat(own).startsWith("site: there is no such setting"),
                        below -> assertThat(below).startsWith("tributary.x-site: there is no such setting"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "logging.level.io.tributary.broker=debug",
                "logging.group.net=io.netty",
                "management.metrics.tags.region=eu",
                "management.endpoint.health.group.custom.include=broker",
                "server.tomcat.max-connections=10",
                "server.ssl.enabledProtocols[0]=TLSv1.3",
                "spring.ssl.bundle.pem.web.keystore.certificate=web.pem",
                "debug=false"
            })
    void settingOfSpringBootIsKnown(String setting) {
        assertThat(Applications.config("--" + setting).nodeName()).isEqualTo("tributary");
    }

    /** One start shows all mistakes: names and values, in arguments and across settings. */
    @Test
    void allMistakesAreSaidAtOnce() {
        assertThat(Applications.failure(
                        "--tributary.storage.shards=many",
                        "--tributary.limits.packets.max-size=1GB",
                        "--tributary.listeners.tcp.prot=1",
                        "--tributary.cluster.shards=3",
                        "--tributary.cluster.id=x",
                        "--tributary.applications.rules[0].kind=firehose",
                        "--tributary.listeners.more.host=0.0.0.0",
                        "--tributary.sys.interval=10ms",
                        "--server.port=abc",
                        "--logging.level.root=loud"))
                .isEqualTo("""
                        tributary.listeners.tcp.prot: there is no such setting; did you mean tributary.listeners.tcp.port?
                        tributary.cluster.id: has no effect without tributary.mode=cluster; nor have 1 more that are given
                        server.port: 'abc' is not within 0 to 65535 (0 picks a free port)
                        logging.level.root: 'loud' is not one of trace, debug, info, warn, error, fatal, off
                        tributary.storage.shards: 'many' is not a whole number within 1 to 65535
                        tributary.limits.packets.max-size: '1GB' is not within 1KB to 256MB
                        tributary.applications.rules[0].kind: 'firehose' is not one of device, application
                        tributary.listeners.more.port: is missing; it must be within 0 to 65535 (0 picks a free port)
                        tributary.sys.interval: '10ms' is neither at least 1s nor 0, for no $SYS topics""");
    }

    @Test
    void allThatAClusterNeedsIsSaidAtOnce() {
        assertThat(Applications.failure("--tributary.mode=cluster", "--tributary.node-name=n1"))
                .isEqualTo("""
                        tributary.cluster.kafka.bootstrap-servers: is missing; it must be some of Kafka's addresses, \
                        host:port,host:port
                        tributary.cluster.redis.nodes: is missing; it must be some nodes of the Redis Cluster, host:port,host:port
                        tributary.cluster.link.host: is missing; it must be an address of this machine at which the other nodes \
                        reach this one (127.0.0.1 where all are on one machine)
                        tributary.cluster.link.secret-file: is missing; it must be a file with the secret that all nodes of the \
                        cluster have, made for instance with openssl rand -base64 32""");
    }

    @ParameterizedTest
    @CsvSource({
        "tributary.datadir2=x, tributary.data-dir",
        "tributary.storage.synk=os, tributary.storage.sync",
        "tributary.listeners.tcp.prot=1, tributary.listeners.tcp.port",
        "tributary.applications.rules[0].clientid2=a, tributary.applications.rules[0].client-id",
        "tributary.listeners.ws.limits.publish.rat=1, tributary.listeners.ws.limits.publish.rate",
        "tributary.limits.packet.max-size=1MB, tributary.limits.packets.max-size"
    })
    void unknownNameIsAnsweredWithTheNearestOne(String setting, String nearest) {
        assertThat(Applications.failure("--" + setting))
                .isEqualTo(
                        setting.replaceFirst("=.*", "") + ": there is no such setting; did you mean " + nearest + "?");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a b    | a          | name: 'a b' is not 1 to 64 letters, digits, - and _
            a      | a/#/b      | topic-filter: 'a/#/b' cannot be: # is not the whole last level of the topic filter [MQTT-4.7.1-1]
            a      | $share/g/a | topic-filter: '$share/g/a' is a shared subscription; it must be a filter of topics
            alarms | a          | name: 'alarms' is the name of rules[0] too; each needs one of its own
            """)
    void wrongRuleOfPrioritiesIsNamed(String name, String filter, String words) {
        String rules = "--tributary.priorities.rules";
        assertThat(Applications.failure(
                        rules + "[0].name=alarms",
                        rules + "[0].topic-filter=alarms/#",
                        rules + "[1].name=" + name,
                        rules + "[1].topic-filter=" + filter))
                .isEqualTo("tributary.priorities.rules[1]." + words);
    }

    @Test
    void tooManyRulesOfPrioritiesAreRefused() {
        String[] rules = IntStream.range(0, 101)
                .mapToObj(i -> "--tributary.priorities.rules[" + i + "].")
                .flatMap(rule -> Stream.of(rule + "name=r" + rule.replaceAll("\\D", ""), rule + "topic-filter=a"))
                .toArray(String[]::new);
        assertThat(Applications.failure(rules))
                .isEqualTo("tributary.priorities.rules: has 101; it must have 100 at most");
    }

    @Test
    void topicOfADeviceIsRefused() {
        String rule = "--tributary.applications.rules[0].";
        assertThat(Applications.failure(rule + "client-id=meter-*", rule + "kind=device", rule + "topic=own"))
                .isEqualTo(
                        "tributary.applications.rules[0].topic: 'own' has no effect with kind=device; only applications"
                                + " have a topic");
    }

    @ParameterizedTest
    @CsvSource({"data-dir,data-dir", "data-dir,dataDir", "storage.sync,storage.sync"})
    void settingGivenTwiceIsRefused(String first, String second) {
        assertThat(Applications.failure("--tributary." + first + "=a", "--tributary." + second + "=b"))
                .isEqualTo("tributary." + second + ": is given twice, as 'a' and as 'b'; give it once");
    }

    @Test
    void whatMayBeASecretIsNotShown() {
        String setting = "tributary.cluster.kafka.client-properties.sasl.jaas.config";
        assertThat(Applications.failure("--tributary.mode=cluster", "--" + setting + "=hush", "--" + setting + "=hush"))
                .doesNotContain("hush")
                .startsWith(setting + ": is given twice; give it once");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tributary.tls.keystore", "tributary.limits.speed", "tributary.x"})
    void nameLikeNoOtherIsAnsweredWithTheListOfAll(String setting) {
        assertThat(Applications.failure("--" + setting + "=1"))
                .isEqualTo(setting + ": there is no such setting; docs/configuration.md lists all that there are");
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "70000", "-1", ""})
    void managementPortIsNamedWithWhatIsAllowed(String port) {
        assertThat(Applications.failure("--server.port=" + port))
                .isEqualTo("server.port: '" + port + "' is not within 0 to 65535 (0 picks a free port)");
    }

    @Test
    void unknownHostIsNamedWithItsListener(@TempDir Path folder) {
        assertThat(Applications.failure(
                        "--tributary.data-dir=" + folder.resolve("data"),
                        "--tributary.listeners.tcp.port=0",
                        "--tributary.listeners.ws.port=0",
                        "--tributary.listeners.tcp.host=no-such-host.invalid"))
                .isEqualTo("tributary.listeners.tcp.host: 'no-such-host.invalid' is not an address of this machine, "
                        + "nor a name that is known");
    }

    @Test
    void failureOfAClusterNamesItsSettings() {
        BrokerStartException kafka = new BrokerStartException("no answer", new KafkaAccessException("no answer"));
        assertThat(StartFailure.words(kafka)).isEqualTo("tributary.cluster.kafka: no answer");
        BrokerStartException redis = new BrokerStartException("Redis is old", new RedisStoreException("Redis is old"));
        assertThat(StartFailure.words(redis)).isEqualTo("tributary.cluster.redis: Redis is old");
        BrokerStartException other = new BrokerStartException("it is late", new IllegalStateException("late"));
        assertThat(StartFailure.words(other)).isEqualTo("it is late");
    }

    @Test
    void listenersOnOnePortOfDifferentAddressesAreFine() {
        assertThat(Applications.config(
                                "--tributary.listeners.tcp.port=2883",
                                "--tributary.listeners.ws.port=2883",
                                "--tributary.listeners.ws.host=127.0.0.2")
                        .listeners())
                .hasSize(2);
    }

    @Test
    void dataFolderThatIsAFileIsNamed(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(Applications.failure("--tributary.data-dir=" + file))
                .isEqualTo("tributary.data-dir: the data folder " + file + " cannot be used: " + file
                        + " is a file, not a folder");
        assertThat(Applications.failure("--tributary.data-dir=" + file.resolve("below")))
                .startsWith("tributary.data-dir: the data folder " + file.resolve("below") + " cannot be used: ")
                .doesNotContain("Exception");
    }

    @Test
    void allListenersSwitchedOffAreTooFew() {
        assertThat(Applications.failure(
                        "--tributary.listeners.tcp.enabled=false", "--tributary.listeners.ws.enabled=false"))
                .isEqualTo("tributary.listeners: all are switched off; at least one must have enabled=true");
    }

    @Test
    void fileAndLineAreNamed(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("tributary.properties"), "\ntributary.storage.sync=never\n");
        assertThat(Applications.failure("--spring.config.additional-location=file:" + folder + "/"))
                .startsWith("tributary.storage.sync: 'never' is not one of always, interval, os (")
                .contains("tributary.properties, line 2)");
    }

    /** Nothing of the list would be read, and applications would be devices. */
    @Test
    void listWithAGapIsRefused() {
        assertThat(Applications.failure("--tributary.applications.rules[1].kind=application"))
                .startsWith("tributary.applications.rules: a place of the list is missing");
    }

    @Test
    void misspeltNameWithAPointInBracketsIsRefused() {
        assertThat(Applications.failure("--logging.levels[io.tributary]=debug")).contains("there is no such setting");
    }

    @Test
    void propertiesWinOverYamlOfTheSameFolder(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("tributary.yaml"), "tributary:\n  node-name: yaml\nserver:\n#  port: 1\n");
        Files.writeString(folder.resolve("tributary.properties"), "tributary.node-name=properties\n");
        assertThat(Applications.config("--spring.config.additional-location=file:" + folder + "/", "")
                        .nodeName())
                .isEqualTo("properties");
    }

    @Test
    void portInUseIsNamedWithItsListener(@TempDir Path folder) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(Applications.failure(
                            "--tributary.data-dir=" + folder.resolve("data"),
                            "--tributary.listeners.ws.enabled=false",
                            "--tributary.listeners.tcp.port=" + taken.getLocalPort()))
                    .isEqualTo("tributary.listeners.tcp.port: '" + taken.getLocalPort()
                            + "' on 127.0.0.1 is in use by another process; choose another with --port N");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"format=99\nshards=16\n", "format=1\nshards=8\n"})
    void dataFolderOfAnotherKindIsRefused(String marker, @TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("VERSION"), marker);
        assertThat(Applications.failure("--tributary.data-dir=" + folder))
                .startsWith("tributary.data-dir: the data folder " + folder)
                .containsAnyOf("newer version", "8 shards");
    }
}
