package io.tributary.broker.tls;

import java.util.List;

/** Files that {@link CertificateWatch} reads again, and what is made of them. */
public interface WatchedFiles {

    /** Of what they are, for log lines and meters. */
    String name();

    /** Looks whether they have changed, and uses them if they can be used. Blocks for reading; one thread at a time. */
    void check();

    /** What operators should know, a sentence each. Any thread. */
    List<String> warnings();

    /** Counts are for the recorder from now on. */
    void record(TlsRecorder recorder);
}
