package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.kafka.app.AppRecordFormat.Decoded;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.Source;
import io.tributary.common.event.TenantNames;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AppRecordFormatTest {
    private static final TopicPartition TOPIC = new TopicPartition("tributary.app.erp", 0);
    private static final AppRecordFormat FORMAT = new AppRecordFormat("back-end");
    private static final long NOW = 1_700_000_000_000L;

    private static final Message PLAIN = new Message(
            "plant/1", bytes("on"), QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "pump");
    private static final Message FULL = new Message(
            "plant/ö",
            new byte[] {0, -1},
            QoS.EXACTLY_ONCE,
            true,
            new PublishProperties(
                    PayloadFormat.UTF_8,
                    "text/plain",
                    "answers",
                    new byte[] {-1, 0},
                    List.of(
                            new UserProperty("a", "1"),
                            new UserProperty("mqtt.qos", "mine"),
                            new UserProperty("a", "2"),
                            new UserProperty("tributary", ""))),
            NOW + 60_000,
            "pump");
    private static final Recipient OWN =
            new Recipient("erp", 300, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION);
    private static final Recipient SHARED = new Recipient(
            "erp", 5, QoS.EXACTLY_ONCE, true, List.of(1, 200), "$share/g/#", ClientKind.SMALL_APPLICATION);
    private static final Source SOURCE = new Source(3, 1000, 2);

    @Test
    void bytesOfTheRoutingHeaderStayWhatTheyAre() {
        for (int format = 1; format <= RecordFormat.NEWEST; format++) {
            String first = "0" + format;
            assertThat(routingBytes(PLAIN, OWN, null, format)).isEqualTo(first + "8103ac02");
            assertThat(routingBytes(PLAIN, null, null, format)).isEqualTo(first + "0003");
            assertThat(routingBytes(PLAIN, null, SOURCE, format)).isEqualTo(first + "400303e80702");
            String full = first + "fe09" + "05" + "0201c801" + "03657270" + "0a2473686172652f672f23" + "03e80702";
            assertThat(routingBytes(FULL, SHARED, SOURCE, format)).isEqualTo(full);
            assertThat(RoutingHeader.decode(HexFormat.of().parseHex(full), null))
                    .isEqualTo(new RoutingHeader(9, SHARED, SOURCE));
        }
    }

    /** By its size a record is one that a topic may refuse at first. */
    @Test
    void namesOfUserPropertiesCountInBytes() {
        PublishProperties properties =
                new PublishProperties(null, null, null, null, List.of(new UserProperty("\u4e2d".repeat(1_000), "")));
        Message message =
                new Message("plant/1", bytes("on"), QoS.AT_LEAST_ONCE, false, properties, Message.NEVER, "pump");
        assertThat(AppRecordFormat.sizeBytes(FORMAT.encode(TOPIC, message, OWN, null, NOW, RecordFormat.NEWEST)))
                .isGreaterThan(3_000);
    }

    @Test
    void headersSayWhatTheyAreWhenReadByAnybody() {
        assertThat(texts(FORMAT.encode(TOPIC, FULL, OWN, null, NOW, RecordFormat.NEWEST)))
                .containsExactly(
                        "mqtt.qos=2",
                        "mqtt.retain=true",
                        "mqtt.publisher=pump",
                        "mqtt.time=1700000000000",
                        "mqtt.expires=1700000060000",
                        "mqtt.payload-format=utf-8",
                        "mqtt.content-type=text/plain",
                        "mqtt.response-topic=answers",
                        "mqtt.correlation-data=\uFFFD\0",
                        "a=1",
                        "mqtt.qos=mine",
                        "a=2",
                        "tributary=");
        assertThat(texts(FORMAT.encode(TOPIC, PLAIN, OWN, null, NOW, RecordFormat.NEWEST)))
                .containsExactly("mqtt.qos=1", "mqtt.publisher=pump", "mqtt.time=1700000000000");
    }

    @Test
    void tenantIsAHeaderAndNotInTopicAndPublisherWhenThereIsOne() {
        Message inside = TenantNames.message("acme", PLAIN);
        Recipient recipient = new Recipient(
                "\0\0acme/erp", 5, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.SMALL_APPLICATION);
        ProducerRecord<byte[], byte[]> record = FORMAT.encode(TOPIC, inside, recipient, null, NOW, RecordFormat.NEWEST);
        assertThat(record.key()).isEqualTo(bytes("plant/1"));
        assertThat(texts(record))
                .containsExactly("mqtt.qos=1", "mqtt.tenant=acme", "mqtt.publisher=pump", "mqtt.time=1700000000000");
        ConsumerRecord<byte[], byte[]> read =
                record(record.key(), record.value(), record.headers().toArray());
        assertThat(AppRecordFormat.decode(read, null)).isEqualTo(new Decoded(inside, recipient, null));
    }

    /** Whoever can write to an application's topic cannot put a message into another tenant by it. */
    @Test
    void recordIsOfTheReadersTenantWhateverItSays() {
        ConsumerRecord<byte[], byte[]> record = record(bytes("plant/1"), bytes("on"), header("mqtt.tenant", "beta"));
        assertThat(AppRecordFormat.decode(record, "\0\0acme/erp").message().topic())
                .isEqualTo("\0acme/plant/1");
        assertThat(AppRecordFormat.decode(record, "\0g/\0acme/plant/#")
                        .message()
                        .topic())
                .isEqualTo("\0acme/plant/1");
        assertThat(AppRecordFormat.decode(record, "erp").message().topic()).isEqualTo("plant/1");
    }

    /** Programs that copy records go by the name alone, wherever the header is. */
    @Test
    void headerIngestedIsThereWhenTheMessageCameByIngestAndInNoOtherRecord() {
        UserProperty forged = new UserProperty("mqtt.ingested", "true");
        PublishProperties properties = new PublishProperties(null, null, null, null, List.of(forged));
        for (String tenant : new String[] {null, "acme"}) {
            Message device = TenantNames.message(tenant, message(properties, "pump"));
            Message backEnd = TenantNames.message(tenant, message(properties, "back-end"));
            assertThat(encoded(device).headers().headers("mqtt.ingested")).isEmpty();
            assertThat(encoded(backEnd).headers().headers("mqtt.ingested"))
                    .containsExactly(header("mqtt.ingested", "true"));
            for (Message message : List.of(device, backEnd)) {
                ProducerRecord<byte[], byte[]> record = encoded(message);
                ConsumerRecord<byte[], byte[]> read =
                        record(record.key(), record.value(), record.headers().toArray());
                assertThat(AppRecordFormat.decode(read, TenantNames.clientId(tenant, "erp"))
                                .message())
                        .isEqualTo(message);
            }
        }
        assertThat(new AppRecordFormat(null)
                        .encode(TOPIC, message(properties, ""), OWN, null, NOW, RecordFormat.NEWEST)
                        .headers()
                        .headers("mqtt.ingested"))
                .isEmpty();
    }

    private static Message message(PublishProperties properties, String publisher) {
        return new Message("plant/1", bytes("on"), QoS.AT_LEAST_ONCE, false, properties, Message.NEVER, publisher);
    }

    private static ProducerRecord<byte[], byte[]> encoded(Message message) {
        return FORMAT.encode(TOPIC, message, OWN, null, NOW, RecordFormat.NEWEST);
    }

    @Test
    void keyAndValueAreTopicAndPayload() {
        ProducerRecord<byte[], byte[]> record = FORMAT.encode(TOPIC, FULL, OWN, null, NOW, RecordFormat.NEWEST);
        assertThat(record.key()).isEqualTo(bytes("plant/ö"));
        assertThat(record.value()).isSameAs(FULL.payload());
        assertThat(record.topic()).isEqualTo(TOPIC.topic());
        assertThat(record.partition()).isZero();
    }

    @Test
    void everythingComesBackWhenDecoded() {
        assertThat(decoded(PLAIN, OWN, null)).isEqualTo(new Decoded(PLAIN, OWN, null));
        assertThat(decoded(FULL, SHARED, SOURCE)).isEqualTo(new Decoded(FULL, SHARED, SOURCE));
        assertThat(decoded(FULL, null, SOURCE)).isEqualTo(new Decoded(FULL, null, SOURCE));
    }

    @Test
    void standardNamesCountAndOthersAreUserPropertiesWhenSomebodyElseProduced() {
        Decoded decoded = AppRecordFormat.decode(
                record(
                        bytes("a/b"),
                        bytes("x"),
                        header("trace", "t"),
                        header("mqtt.qos", "2"),
                        header("mqtt.retain", "true"),
                        header("mqtt.time", "anything"),
                        header("tributary", "mine"),
                        new RecordHeader("binary", new byte[] {-1}),
                        new RecordHeader("null", null)),
                "erp");
        assertThat(decoded.recipient()).isNull();
        assertThat(decoded.message())
                .isEqualTo(new Message(
                        "a/b",
                        bytes("x"),
                        QoS.EXACTLY_ONCE,
                        true,
                        new PublishProperties(
                                null,
                                null,
                                null,
                                null,
                                List.of(new UserProperty("trace", "t"), new UserProperty("tributary", "mine"))),
                        Message.NEVER,
                        ""));
    }

    @Test
    void payloadIsEmptyWhenSomebodyElseProducedNone() {
        Decoded decoded = AppRecordFormat.decode(record(bytes("a"), null), "erp");
        assertThat(decoded.message())
                .isEqualTo(new Message(
                        "a", new byte[0], QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, ""));
    }

    @ParameterizedTest
    @CsvSource({
        "mqtt.qos, 3",
        "mqtt.qos, ''",
        "mqtt.expires, soon",
        "mqtt.expires, -1",
        "mqtt.payload-format, utf-16",
        "mqtt.retain, yes",
        "mqtt.retain, TRUE",
        "mqtt.response-topic, a/#",
        "tributary, x",
        "tributary, ''"
    })
    void recordIsUnreadableWhenAHeaderMakesNoSense(String name, String value) {
        assertUnreadable(record(bytes("a"), bytes("x"), header(name, value)), "erp");
    }

    @Test
    void recordIsUnreadableWhenItsKeyIsNoTopicName() {
        assertUnreadable(record(null, bytes("x")), "erp");
        assertUnreadable(record(bytes(""), bytes("x")), "erp");
        assertUnreadable(record(bytes("a/#"), bytes("x")), "erp");
        assertUnreadable(record(new byte[] {-1}, bytes("x")), "erp");
        assertUnreadable(record(new byte[] {'a', 0}, bytes("x")), "erp");
        assertUnreadable(record(new byte[65_536], bytes("x")), "erp");
    }

    @Test
    void recordIsUnreadableWhenItsRoutingIs() {
        for (String hex : List.of("03000300", "0183030100", "010003ff", "0110", "01810003ac", "0180000500")) {
            RecordHeader routing = new RecordHeader("tributary", HexFormat.of().parseHex(hex));
            assertUnreadable(record(bytes("a"), bytes("x"), routing), "erp");
        }
    }

    @Test
    void recordIsUnreadableWhenNothingTellsItsRecipient() {
        RecordHeader nameless = new RecordHeader("tributary", HexFormat.of().parseHex("01810005"));
        assertThat(AppRecordFormat.decode(record(bytes("a"), bytes("x"), nameless), "erp")
                        .recipient())
                .isEqualTo(new Recipient("erp", 5, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION));
        assertUnreadable(record(bytes("a"), bytes("x"), nameless), null);
    }

    @Test
    void sizeCountsEverythingWhenRecordsHaveHeaders() {
        assertThat(AppRecordFormat.sizeBytes(FORMAT.encode(TOPIC, FULL, OWN, null, NOW, RecordFormat.NEWEST)))
                .isBetween(250, 350);
    }

    private static String routingBytes(
            Message message, @Nullable Recipient recipient, @Nullable Source source, int format) {
        Header first = FORMAT.encode(TOPIC, message, recipient, source, NOW, format)
                .headers()
                .iterator()
                .next();
        return HexFormat.of().formatHex(first.value());
    }

    private static List<String> texts(ProducerRecord<byte[], byte[]> record) {
        List<String> texts = new ArrayList<>();
        record.headers()
                .forEach(header -> texts.add(header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8)));
        assertThat(texts.removeFirst()).startsWith("tributary=");
        return texts;
    }

    private static Decoded decoded(Message message, @Nullable Recipient recipient, @Nullable Source source) {
        ProducerRecord<byte[], byte[]> sent =
                FORMAT.encode(TOPIC, message, recipient, source, NOW, RecordFormat.NEWEST);
        return AppRecordFormat.decode(
                record(sent.key(), sent.value(), sent.headers().toArray()), "erp");
    }

    private static void assertUnreadable(ConsumerRecord<byte[], byte[]> record, @Nullable String owner) {
        assertThatThrownBy(() -> AppRecordFormat.decode(record, owner)).isInstanceOf(UnreadableRecordException.class);
    }

    @SuppressWarnings("NullAway") // Kafka's records may have neither key nor value
    private static ConsumerRecord<byte[], byte[]> record(
            byte @Nullable [] key, byte @Nullable [] value, Header... headers) {
        return new ConsumerRecord<>(
                TOPIC.topic(),
                0,
                7,
                NOW,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                key,
                value,
                new RecordHeaders(headers),
                Optional.empty());
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
