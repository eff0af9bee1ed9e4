package io.tributary.broker.tenant;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import java.util.ArrayList;
import java.util.List;

/**
 * What tenants use at one node, as it tells the others: a format byte, then of each tenant its name and the numbers
 * that no other node knows. A later version puts further numbers behind these: a reader ignores those that it does not
 * know.
 */
final class TenantReport {
    /** How many tenants a report has at most. */
    static final int MOST = 200;

    private static final int FORMAT = 1;
    private static final int BYTES_A_TENANT = 40;

    private TenantReport() {}

    /** What one tenant uses. */
    record Line(String tenant, TenantUse use) {}

    /** Reports with all lines. */
    static List<byte[]> encode(List<Line> lines) {
        List<byte[]> reports = new ArrayList<>();
        for (int from = 0; from < lines.size(); from += MOST) {
            List<Line> some = lines.subList(from, Math.min(lines.size(), from + MOST));
            ByteWriter writer = new ByteWriter(some.size() * BYTES_A_TENANT);
            writer.writeByte(FORMAT);
            writer.writeList(some, TenantReport::write);
            reports.add(writer.toBytes());
        }
        return reports;
    }

    private static void write(ByteWriter writer, Line line) {
        TenantUse use = line.use();
        writer.writeString(line.tenant());
        writer.writeNumbers(
                new long[] {use.connections(), use.sessions(), use.transientSubscriptions(), use.queuedBytes()});
    }

    /**
     * The lines of a report.
     *
     * @throws UnreadableRecordException when it is none
     */
    static List<Line> decode(byte[] report) {
        ByteReader reader = new ByteReader(report);
        reader.expectFormat(FORMAT);
        return reader.readList(TenantReport::read);
    }

    private static Line read(ByteReader reader) {
        String tenant = reader.readString();
        long[] numbers = reader.readNumbers();
        if (numbers.length < 4) {
            throw new UnreadableRecordException(numbers.length + " numbers of a tenant");
        }
        return new Line(tenant, new TenantUse(numbers[0], numbers[1], 0, numbers[2], 0, 0, numbers[3]));
    }
}
