package io.tributary.cluster.redis;

/** A call of a script for one shard; see the script for what its keys and arguments are. */
@SuppressWarnings("ArrayRecordComponent") // short-lived, never compared
record ScriptCall(RedisScript script, int shard, byte[][] keys, byte[][] arguments) {

    /** The size of what is sent, without the protocol around it. */
    long bytes() {
        return sum(keys) + sum(arguments);
    }

    /** An argument that is a text, counted from 1 as in the script. */
    String argument(int number) {
        return StateBytes.text(arguments[number - 1]);
    }

    private static long sum(byte[][] parts) {
        long bytes = 0;
        for (byte[] part : parts) {
            bytes += part.length;
        }
        return bytes;
    }
}
