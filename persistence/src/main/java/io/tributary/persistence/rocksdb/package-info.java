/** The embedded adapters of standalone mode, all in one RocksDB database. */
@NullMarked
package io.tributary.persistence.rocksdb;

import org.jspecify.annotations.NullMarked;
