package io.tributary.broker.network;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tributary.common.time.LineAMinute;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that the system does not let a listener accept, for want of file descriptors as a rule: counts them, and
 * says so once a minute and in the broker's warnings until a minute has gone without. Netty tries again each second, so
 * that accepting goes on by itself. Any thread.
 */
final class AcceptFailures {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptFailures.class);
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final NetworkRecorder recorder;
    private final LongSupplier nanoClock;

    /** Made beforehand: without file descriptors, no class can be loaded that was not needed yet. */
    private final String wantOfFiles =
            "no file descriptors left" + limit() + ", connections wait: raise LimitNOFILE= (systemd) or ulimit -n";

    /** Made beforehand, too. */
    private final LineAMinute lines;

    private volatile long failedNanos;
    private volatile String words = "";

    AcceptFailures(NetworkRecorder recorder, LongSupplier nanoClock) {
        this.recorder = recorder;
        this.nanoClock = nanoClock;
        lines = new LineAMinute(nanoClock);
    }

    /** The last handler of a listening socket, behind the one that lets a failed socket rest for a second. */
    ChannelHandler handler(String listener) {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                failed(listener, cause);
            }
        };
    }

    /** What operators should know, in a sentence; empty when all were accepted within the last minute. */
    List<String> warnings() {
        String said = words;
        return said.isEmpty() || nanoClock.getAsLong() - failedNanos >= MINUTE_NANOS ? List.of() : List.of(said);
    }

    private void failed(String listener, Throwable cause) {
        recorder.unaccepted(listener);
        String said = words(listener, String.valueOf(cause.getMessage()));
        failedNanos = nanoClock.getAsLong();
        words = said;
        if (lines.happened() != null) { // how often Netty tried says nothing
            LOG.error("{}", said);
        }
    }

    private String words(String listener, String said) {
        return isForWantOfFiles(said) ? wantOfFiles : "listener " + listener + " cannot accept connections: " + said;
    }

    private static String limit() {
        OptionalLong limit = OpenFiles.limit();
        return limit.isPresent() ? " (limit " + limit.getAsLong() + ")" : "";
    }

    /** EMFILE and ENFILE, by number where the transport gives it, for words are those of the system's language. */
    private static boolean isForWantOfFiles(String said) {
        return said.contains("error(-24)")
                || said.contains("error(-23)")
                || said.toLowerCase(Locale.ROOT).contains("too many open files");
    }
}
