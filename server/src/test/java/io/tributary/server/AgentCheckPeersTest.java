package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.server.settings.AgentCheckSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class AgentCheckPeersTest {
    private static final int MANY = 130;

    private final AgentCheck agent = new AgentCheck(new AgentCheckSettings("0.0.0.0", 0), () -> "ready up 7%");
    private final List<Socket> held = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        agent.close();
        for (Socket socket : held) {
            socket.close();
        }
    }

    /** Other systems than Linux have one loopback address. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void answersOthersWhenOnePeerHoldsAsManyConnectionsAsItCan() throws IOException {
        for (int i = 0; i < MANY; i++) {
            held.add(from("127.0.0.2"));
        }
        for (int i = 0; i < 3; i++) {
            assertThat(answer(from("127.0.0.3"))).isEqualTo("ready up 7%\n");
            held.add(from("127.0.0.2"));
        }
    }

    /** Who says nothing, and does not close, is done with after the same second. */
    @Test
    void closesWhenThePeerDoesNot() throws IOException {
        Socket silent = from("127.0.0.1");
        held.add(silent);
        assertThat(answer(silent)).isEqualTo("ready up 7%\n");
        assertThat(silent.getInputStream().read()).isNegative();
    }

    private Socket from(String address) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), agent.port()));
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
}
