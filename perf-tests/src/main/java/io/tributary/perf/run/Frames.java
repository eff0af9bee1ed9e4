package io.tributary.perf.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.perf.machine.ThisMachine;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import jdk.net.ExtendedSocketOptions;

/**
 * JSON objects over a socket, each behind its length. A peer whose machine has gone without a word is noticed within
 * half a minute. Reading is for one thread, writing for any.
 */
final class Frames implements AutoCloseable {
    static final ObjectMapper MAPPER = new ObjectMapper();

    /** Of what an unknown peer may say. */
    static final int GREETING_BYTES = 1_024;

    private static final int MOST_BYTES = 512 << 20;

    private static final int IDLE_SECONDS = 10;
    private static final int PROBE_SECONDS = 5;
    private static final int PROBES = 3;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private int limit = GREETING_BYTES;

    Frames(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        set(socket, ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
        set(socket, ExtendedSocketOptions.TCP_KEEPINTERVAL, PROBE_SECONDS);
        set(socket, ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /** Where the system has it. */
    private static void set(Socket socket, SocketOption<Integer> option, int value) throws IOException {
        if (socket.supportedOptions().contains(option)) {
            socket.setOption(option, value);
        }
    }

    /** Whether the peer is not known to be on this machine. */
    boolean isFromElsewhere() {
        return ThisMachine.isElsewhere(socket.getInetAddress());
    }

    /** The peer is known: it may send what it likes. */
    void trust() {
        limit = MOST_BYTES;
    }

    /**
     * The next object.
     *
     * @throws EOFException if there is none any more
     * @throws IOException if it is too large, or no JSON
     */
    JsonNode read() throws IOException {
        int length = in.readInt();
        if (length < 0 || length > limit) {
            throw new IOException("a message of " + length + " bytes: this is no process of the load tool");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return MAPPER.readTree(bytes);
    }

    /** Sends an object. */
    void write(ObjectNode message) throws IOException {
        byte[] bytes = MAPPER.writeValueAsBytes(message);
        synchronized (out) {
            out.writeInt(bytes.length);
            out.write(bytes);
            out.flush();
        }
    }

    static ObjectNode message() {
        return MAPPER.createObjectNode();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
