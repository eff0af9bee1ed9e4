package io.tributary.security.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/**
 * An HTTP server that answers, hangs, drips a byte a moment, lies about what it sends, or dies: as the test says. It
 * closes the connection after each answer.
 */
public final class BadServer implements AutoCloseable {
    private static final long DRIP_MILLIS = 100;

    private final ServerSocket server;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile Mood mood = Mood.ANSWERS;
    private volatile UnaryOperator<String> body;
    private volatile int status = 200;
    private volatile String header = "Cache-Control: no-cache";

    /** How it behaves. */
    public enum Mood {
        /** As it should. */
        ANSWERS,
        /** It takes the request and says nothing. */
        HANGS,
        /** It sends its answer, one byte each tenth of a second. */
        DRIPS,
        /** It closes the connection in the middle of its answer. */
        DIES,
        /** It sends a megabyte. */
        FLOODS
    }

    /** Starts one; the body of its answers follows from that of the request. */
    public BadServer(UnaryOperator<String> body) {
        this.body = body;
        try {
            server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    /** Its address. */
    public String address() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/service";
    }

    /** Changes how it behaves. */
    public BadServer is(Mood next) {
        mood = next;
        return this;
    }

    /** Changes what it answers. */
    public BadServer says(int nextStatus, String nextHeader, UnaryOperator<String> next) {
        status = nextStatus;
        header = nextHeader;
        body = next;
        return this;
    }

    /** The requests so far: head and body. */
    public List<String> requests() {
        return requests;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            String request = read(socket.getInputStream());
            requests.add(request);
            String answer = body.apply(request.substring(request.indexOf("\r\n\r\n") + 4));
            String text = mood == Mood.FLOODS ? "x".repeat(1 << 20) : answer;
            byte[] bytes = ("HTTP/1.1 " + status + " As Said\r\nConnection: close\r\n" + header + "\r\nContent-Length: "
                            + text.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + text)
                    .getBytes(StandardCharsets.UTF_8);
            write(socket, bytes);
        } catch (IOException | InterruptedException gone) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Socket socket, byte[] bytes) throws IOException, InterruptedException {
        OutputStream out = socket.getOutputStream();
        switch (mood) {
            case ANSWERS, FLOODS -> out.write(bytes);
            case HANGS -> socket.getInputStream().readAllBytes(); // until the other side closes
            case DIES -> out.write(bytes, 0, bytes.length / 2);
            case DRIPS -> {
                for (byte each : bytes) {
                    out.write(each);
                    out.flush();
                    Thread.sleep(DRIP_MILLIS);
                }
            }
        }
    }

    private static String read(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        int next;
        while (text.indexOf("\r\n\r\n") < 0 && (next = in.read()) >= 0) {
            text.append((char) next);
        }
        var length =
                java.util.regex.Pattern.compile("(?i)content-length: (\\d+)").matcher(text);
        byte[] body = in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
        return text + new String(body, StandardCharsets.UTF_8);
    }
}
