package io.tributary.cluster.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.tributary.cluster.redis.RedisRecorder.Failure;
import io.tributary.common.thread.StageFailure;
import io.tributary.persistence.shard.FencedException;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;

/**
 * Why a call failed, and what its caller is told. Redis begins an error with a code in capitals; those of our scripts
 * are {@code FENCED}, {@code LAYOUT}, and {@code RESTART} for a cursor of another process.
 */
record CallFailure(Failure kind, RuntimeException exception) {
    private static final Set<String> PASSING = Set.of(
            "ASK",
            "BUSY",
            "CLUSTERDOWN",
            "LOADING",
            "MASTERDOWN",
            "MOVED",
            "NOREPLICAS",
            "READONLY",
            "RESTART",
            "TRYAGAIN");

    /** Tells what a failure of the client library means. */
    static CallFailure of(ScriptCall call, Throwable thrown) {
        Throwable cause = StageFailure.cause(thrown);
        if (cause instanceof RedisCommandExecutionException refused) {
            return refused(call, refused);
        }
        Failure kind = switch (cause) {
            case RedisCommandTimeoutException _ -> Failure.TIMEOUT;
            case RedisException _, IOException _ -> Failure.UNAVAILABLE;
            default -> Failure.OTHER;
        };
        return new CallFailure(kind, failed(call, cause));
    }

    private static CallFailure refused(ScriptCall call, RedisCommandExecutionException refused) {
        String message = Objects.requireNonNullElse(refused.getMessage(), "");
        int end = message.indexOf(' ');
        String code = end < 0 ? message : message.substring(0, end);
        if (code.equals("FENCED")) {
            return new CallFailure(Failure.FENCED, fenced(call, message.split(" ", -1)));
        }
        if (code.equals("LAYOUT")) {
            return new CallFailure(Failure.OTHER, otherLayout(call, message.substring(end + 1)));
        }
        if (code.equals("OOM")) {
            return new CallFailure(Failure.OUT_OF_MEMORY, failed(call, refused));
        }
        return new CallFailure(PASSING.contains(code) ? Failure.UNAVAILABLE : Failure.OTHER, failed(call, refused));
    }

    private static FencedException fenced(ScriptCall call, String[] words) {
        String found = words[2];
        return switch (words[1]) {
            case "epoch" ->
                new FencedException(
                        "shard %d: owner %s has claimed it after owner %s"
                                .formatted(call.shard(), found, call.argument(1)),
                        Long.parseLong(found),
                        false);
            case "log" ->
                new FencedException(
                        "its state in Redis, up to offset %s, is that of another log, %s".formatted(words[3], found),
                        Long.parseLong(words[3]),
                        true);
            default ->
                new FencedException("shard %d: the state is at offset %s, and the save point expects %s"
                        .formatted(call.shard(), found, call.argument(2)));
        };
    }

    private static RedisStoreException otherLayout(ScriptCall call, String found) {
        return new RedisStoreException("shard %d: its state in Redis has layout %s, and this version has layout %d"
                .formatted(call.shard(), found, Position.FORMAT));
    }

    private static RedisStoreException failed(ScriptCall call, Throwable cause) {
        return new RedisStoreException("shard " + call.shard() + ": " + call.script() + " failed: " + cause, cause);
    }
}
