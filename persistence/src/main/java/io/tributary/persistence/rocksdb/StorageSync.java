package io.tributary.persistence.rocksdb;

/** When the embedded store asks the operating system to bring what was written to the disk. */
public enum StorageSync {
    /** Before anything is acknowledged: nothing acknowledged is lost, not even when the power fails. */
    ALWAYS,
    /** At an interval: a power failure loses the acknowledged writes since the last one, a crash of the broker none. */
    INTERVAL,
    /**
     * When the operating system decides, and before files of applications' topics go. A crash of the broker loses
     * nothing, a power failure perhaps much.
     */
    OS
}
