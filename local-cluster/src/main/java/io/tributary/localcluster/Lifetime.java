package io.tributary.localcluster;

/** How long a server process lives when nobody stops it. */
public enum Lifetime {
    /** It ends (by SIGKILL) with the JVM that started it, however that JVM ends. For tests. */
    BOUND,
    /** It outlives the JVM that started it, and the terminal too. For the launcher. */
    DETACHED
}
