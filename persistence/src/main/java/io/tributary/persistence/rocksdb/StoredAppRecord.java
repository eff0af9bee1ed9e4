package io.tributary.persistence.rocksdb;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.MessageFormat;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.RoutingFormat;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.shard.LogRecord;
import org.jspecify.annotations.Nullable;

/** The bytes of a record of an application's topic: a format byte, source, recipient and message. */
final class StoredAppRecord {
    private static final int SMALL = 96;

    private StoredAppRecord() {}

    static byte[] encode(Message message, Recipient recipient, @Nullable Source source) {
        ByteWriter writer = new ByteWriter(message.sizeBytes() + SMALL);
        writer.writeByte(RecordFormat.NEWEST);
        RoutingFormat.writeSource(writer, source);
        RoutingFormat.writeRecipient(writer, recipient);
        MessageFormat.write(writer, message);
        return writer.toBytes();
    }

    static AppRecord decode(LogRecord entry) {
        ByteReader reader = new ByteReader(entry.value());
        reader.expectFormat(RecordFormat.NEWEST);
        Source source = RoutingFormat.readSource(reader);
        Recipient recipient = RoutingFormat.readRecipient(reader);
        Message message = MessageFormat.read(reader);
        reader.expectEnd();
        return new AppRecord(entry.offset(), entry.timeMillis(), message, recipient, source);
    }
}
