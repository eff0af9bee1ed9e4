package io.tributary.persistence.rocksdb;

import java.nio.charset.StandardCharsets;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;

/** The columns of the database, each with its own files, and how each is tuned. */
enum Column {
    /** Low-water marks and names; RocksDB insists on a column of this name. */
    META("default", 32, CompressionType.LZ4_COMPRESSION),
    /**
     * The logs of the shards. Most records are truncated within seconds: two write buffers are flushed as one, which
     * leaves out what is dead by then, and compression would be for nothing.
     */
    LOG("log", 4, CompressionType.NO_COMPRESSION) {
        @Override
        ColumnFamilyOptions options(RocksDbOptions options, BlockBasedTableConfig table) {
            return super.options(options, table)
                    .setMinWriteBufferNumberToMerge(2)
                    .setMaxWriteBufferNumber(4)
                    .setMemtableMaxRangeDeletions(1000);
        }
    },
    /** The state of the shards. */
    STATE("state", 6, CompressionType.LZ4_COMPRESSION),
    /** The replicated maps. */
    MAPS("maps", 12, CompressionType.LZ4_COMPRESSION),
    /** The topics of applications. */
    APPS("apps", 6, CompressionType.LZ4_COMPRESSION),
    /** What administrators changed. */
    AUDIT("audit", 64, CompressionType.LZ4_COMPRESSION);

    private final String columnName;
    private final int writeBufferShare;
    private final CompressionType compression;

    Column(String columnName, int writeBufferShare, CompressionType compression) {
        this.columnName = columnName;
        this.writeBufferShare = writeBufferShare;
        this.compression = compression;
    }

    byte[] nameBytes() {
        return columnName.getBytes(StandardCharsets.UTF_8);
    }

    /** The options of the column; the caller closes them. */
    ColumnFamilyOptions options(RocksDbOptions options, BlockBasedTableConfig table) {
        return new ColumnFamilyOptions()
                .setWriteBufferSize(options.writeBufferBytes() / writeBufferShare)
                .setCompressionType(compression)
                .setTableFormatConfig(table);
    }
}
