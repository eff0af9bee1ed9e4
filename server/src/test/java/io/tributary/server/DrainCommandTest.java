package io.tributary.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.Program;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command at a node that has too much to do to answer each request. */
@DisabledOnOs(OS.WINDOWS)
class DrainCommandTest {
    @TempDir
    private Path folder;

    private final AtomicInteger asked = new AtomicInteger();
    private final StringWriter said = new StringWriter();

    @Test
    void isSentAgainWhenItIsNotAnswered() throws IOException {
        assertThat(drain(3)).as(said.toString()).isZero();
        assertThat(asked).hasValue(3);
        assertThat(said.toString()).isEqualToIgnoringNewLines("n1: safe to stop");
    }

    @Test
    void isGivenUpWhenItIsNeverAnswered() throws IOException {
        assertThat(drain(Integer.MAX_VALUE)).isOne();
        assertThat(asked).hasValue(4);
        assertThat(said.toString()).contains("does not answer");
    }

    /** The exit code at a node that closes the connections before the one of this number. */
    private int drain(int answered) throws IOException {
        Path token =
                Files.writeString(folder.resolve("token"), "admin:0123456789abcdef0123456789abcdef0123456789abcdef\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        try (ServerSocket node = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread answering = Thread.ofVirtual().start(() -> answer(node, answered));
            CommandLine line = Program.commandLine(new DrainCommand());
            PrintWriter writer = new PrintWriter(said, true);
            int exit = line.setOut(writer)
                    .setErr(writer)
                    .execute(
                            "--url=http://127.0.0.1:" + node.getLocalPort(),
                            "--node=n1",
                            "--token-file=" + token,
                            "--wait");
            answering.interrupt();
            return exit;
        }
    }

    private void answer(ServerSocket node, int answered) {
        try {
            while (true) {
                try (Socket one = node.accept()) {
                    boolean isRead = one.getInputStream().read() >= 0;
                    if (isRead && asked.incrementAndGet() >= answered) {
                        String body = "{\"node\":\"n1\",\"phase\":\"safe\",\"safeToStop\":true}";
                        String head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + body.length();
                        one.getOutputStream().write((head + "\r\n\r\n" + body).getBytes(US_ASCII));
                        one.shutdownOutput();
                        one.getInputStream().transferTo(OutputStream.nullOutputStream());
                    }
                }
            }
        } catch (IOException closed) {
            Thread.currentThread().interrupt();
        }
    }
}
