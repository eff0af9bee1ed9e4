package io.tributary.localcluster;

import java.util.ArrayList;
import java.util.List;

/** How long a server process lives when nobody stops it. */
public enum Lifetime {
    /**
     * It ends (by SIGKILL) with the JVM that started it, however that JVM ends. For tests.
     *
     * <p>The command becomes the server, having left a watcher behind that kills it once the pipe to its standard input
     * is closed without a word: when the JVM is gone. The watcher knows the process identifier before the server runs,
     * so there is no gap. Whoever starts the command keeps that pipe, and writes a line into it when the server has
     * ended.
     */
    BOUND("exec 3<&0 </dev/null;"
            + " (trap '' HUP INT TERM; read -r line <&3 || kill -9 $$) >/dev/null 2>&1 &"
            + " exec \"$@\" 3<&-"),
    /** It outlives the JVM that started it, and the terminal too. For the launcher. */
    DETACHED("trap '' HUP; exec \"$@\"");

    private final String script;

    Lifetime(String script) {
        this.script = script;
    }

    /** The command that runs this one, in the same process, for as long as said. */
    public List<String> command(List<String> words) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(words);
        return command;
    }
}
