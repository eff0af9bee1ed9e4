package io.tributary.cluster.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.codec.DecoderLimits;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.topic.TopicLimits;
import io.tributary.persistence.ingest.IngestRecord;
import io.tributary.persistence.ingest.IngestRecord.Header;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordReaderTest {
    private static final long TIME = 1_000_000;
    private static final DecoderLimits LIMITS = new DecoderLimits(1_000, 1_000, new TopicLimits(100, 4), 1_000, 2, 1);

    private final RecordReader reader = new RecordReader("back-end", LIMITS);

    @Test
    void recordWithoutHeadersIsAMessageOfQos1() throws InvalidRecordException {
        assertThat(read("a/b", "on"))
                .isEqualTo(new Message(
                        "a/b",
                        "on".getBytes(UTF_8),
                        QoS.AT_LEAST_ONCE,
                        false,
                        PublishProperties.NONE,
                        Message.NEVER,
                        "back-end"));
    }

    @Test
    void headersWithStandardNamesAreThat() throws InvalidRecordException {
        Message message = read(
                "a",
                "{}",
                "mqtt.qos=2",
                "mqtt.retain=true",
                "mqtt.expires=99",
                "mqtt.payload-format=utf-8",
                "mqtt.content-type=json",
                "mqtt.response-topic=r/t",
                "mqtt.correlation-data=id",
                "mqtt.publisher=somebody",
                "mqtt.time=5",
                "one=1",
                "two=2");
        assertThat(message)
                .isEqualTo(new Message(
                        "a",
                        "{}".getBytes(UTF_8),
                        QoS.EXACTLY_ONCE,
                        true,
                        new PublishProperties(
                                PayloadFormat.UTF_8,
                                "json",
                                "r/t",
                                "id".getBytes(UTF_8),
                                List.of(new UserProperty("one", "1"), new UserProperty("two", "2"))),
                        99,
                        "back-end"));
    }

    @Test
    void messageIsTheTenantsWhenAHeaderSaysSo() throws InvalidRecordException {
        Message message = read("a/b", "on", "mqtt.tenant=acme", "mqtt.publisher=somebody");
        assertThat(message.topic()).isEqualTo("\0acme/a/b");
        assertThat(message.publisher()).isEqualTo("\0\0acme/back-end");
        assertThat(message.properties()).isEqualTo(PublishProperties.NONE);
    }

    /** Also of a client without a tenant, whose record has no tenant's header of the broker before its own. */
    @Test
    void userPropertiesOfACopiedRecordAreThatUnderStandardNamesToo() throws InvalidRecordException {
        String routing = "tributary=\u0002\0\u0001";
        Message ofNone = read("a/b", "on", routing, "mqtt.qos=2", "mqtt.tenant=acme", "mqtt.qos=0");
        assertThat(ofNone.topic()).isEqualTo("a/b");
        assertThat(ofNone.qos()).isEqualTo(QoS.EXACTLY_ONCE);
        assertThat(ofNone.properties().userProperties())
                .containsExactly(new UserProperty("mqtt.tenant", "acme"), new UserProperty("mqtt.qos", "0"));

        String ofTwo = "tributary=\u0002\0\u0002";
        Message ofBeta = read("a/b", "on", ofTwo, "mqtt.qos=2", "mqtt.tenant=beta", "mqtt.tenant=acme", "tributary=x");
        assertThat(ofBeta.topic()).isEqualTo("\0beta/a/b");
        assertThat(ofBeta.properties().userProperties())
                .containsExactly(new UserProperty("mqtt.tenant", "acme"), new UserProperty("tributary", "x"));
    }

    @Test
    void headerIngestedOfTheBrokerIsPassedOverAndThatOfAClientIsItsUserProperty() throws InvalidRecordException {
        String routing = "tributary=\u0002\0\u0002";
        Message message = read("a/b", "on", routing, "mqtt.qos=2", "mqtt.ingested=true", "mqtt.ingested\0=mine");
        assertThat(message.properties().userProperties()).containsExactly(new UserProperty("mqtt.ingested", "mine"));
        assertThat(read("a/b", "on", "mqtt.ingested=true").properties()).isEqualTo(PublishProperties.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "tributary=ours, a=1, this one is not: the record has format 111",
        "tributary=, a=1, this one is not: the record is cut off",
        "a=1, tributary=ours, not the first",
    })
    void copiedRecordWhoseHeadersCannotBeToldApartIsRefused(String first, String second, String words) {
        assertThatThrownBy(() -> read("a", "m", first, second))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("tributary is the broker's own header, and " + words);
    }

    @Test
    void expirySecondsCountFromTheTimeOfTheRecord() throws InvalidRecordException {
        assertThat(read("a", "m", "mqtt.expiry-seconds=60").expiresAtMillis()).isEqualTo(TIME + 60_000);
    }

    @Test
    void recordWithoutValueHasAnEmptyPayload() throws InvalidRecordException {
        assertThat(reader.read(record("a".getBytes(UTF_8), null, List.of())).payload())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/+", "#", "$SYS/a", "a\0b", "1/2/3/4/5", ""})
    void keyThatIsNoTopicIsRefused(String key) {
        assertThatThrownBy(() -> read(key, "m")).isInstanceOf(InvalidRecordException.class);
    }

    @Test
    void missingKeyAndKeyThatIsNotUtf8AreRefused() {
        assertThatThrownBy(() -> reader.read(record(null, null, List.of())))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessage("the key, which is the topic, is missing");
        byte[] surrogate = {'a', (byte) 0xED, (byte) 0xA0, (byte) 0x80};
        assertThatThrownBy(() -> reader.read(record(surrogate, null, List.of())))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("is not UTF-8");
    }

    @ParameterizedTest
    @CsvSource({
        "mqtt.qos=3, mqtt.qos is not",
        "mqtt.qos=, mqtt.qos is not",
        "mqtt.tenant=, mqtt.tenant is no name of a tenant",
        "mqtt.tenant=a/b, mqtt.tenant is no name of a tenant",
        "mqtt.retain=yes, mqtt.retain is not true or false",
        "mqtt.expires=-1, mqtt.expires is negative",
        "mqtt.expires=soon, mqtt.expires is not a number",
        "mqtt.expiry-seconds=4294967296, mqtt.expiry-seconds is more than",
        "mqtt.payload-format=text, mqtt.payload-format is not",
        "mqtt.response-topic=a/#, mqtt.response-topic is not a topic name",
    })
    void headerThatMakesNoSenseIsRefused(String header, String words) {
        assertThatThrownBy(() -> read("a", "m", header))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining(words);
    }

    @Test
    void recordThatNoClientCouldHavePublishedIsRefused() {
        assertThatThrownBy(() -> read("a", "m".repeat(1_000)))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("larger than the largest packet, 1000 bytes");
        assertThatThrownBy(() -> read("a", "m", "\u4e2d".repeat(400) + "=1"))
                .as("1,200 bytes in UTF-8")
                .isInstanceOf(InvalidRecordException.class)
                .hasMessageContaining("larger than the largest packet, 1000 bytes");
        assertThatThrownBy(() -> read("a", "m", "one=1", "two=2", "three=3"))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessage("more than 2 user properties");
    }

    /** Logged, it could be delivered to nobody, and would come again and again. */
    @Test
    void headerWhoseNameNoPacketCanCarryIsRefused() {
        RecordReader large = new RecordReader("back-end", DecoderLimits.DEFAULT);
        String name = "\u00e4".repeat(32_768);
        assertThatThrownBy(() ->
                        large.read(record("a".getBytes(UTF_8), null, List.of(new Header(name, "1".getBytes(UTF_8))))))
                .isInstanceOf(InvalidRecordException.class)
                .hasMessage("the name of a header is longer than 65535 bytes");
    }

    private Message read(String key, String value, String... headers) throws InvalidRecordException {
        List<Header> list = new ArrayList<>();
        for (String header : headers) {
            String[] parts = header.split("=", 2);
            list.add(new Header(parts[0], parts[1].getBytes(UTF_8)));
        }
        return reader.read(record(key.getBytes(UTF_8), value.getBytes(UTF_8), list));
    }

    private static IngestRecord record(byte @Nullable [] key, byte @Nullable [] value, List<Header> headers) {
        return new IngestRecord("commands", 0, 5, TIME, new Source(Source.FIRST_INGEST, 5, 0), key, value, headers);
    }
}
