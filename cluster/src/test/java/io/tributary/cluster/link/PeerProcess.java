package io.tributary.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.contract.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A node in a JVM of its own, which sends back every frame. A shell watches over it: when the tests end, however they
 * do, its input ends, and it kills the node, a stopped one too.
 */
final class PeerProcess implements AutoCloseable {
    private static final String WATCH = "\"$@\" </dev/null & node=$!; cat >/dev/null; kill -9 $node";

    final NodeId id;
    private final Process shell;
    private final BufferedReader output;
    private final InetSocketAddress address;
    private final long pid;

    /** Starts the node and waits until it listens. */
    PeerProcess(NodeId id, TestNode peer) throws IOException {
        this.id = id;
        List<String> command = new ArrayList<>(List.of("sh", "-c", WATCH, "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.add("-Xmx128m");
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(PeerProcess.class.getName());
        command.add(id.name());
        command.add(Long.toString(id.incarnation()));
        command.add(peer.id.name());
        command.add(Long.toString(peer.id.incarnation()));
        command.add(Integer.toString(peer.address().getPort()));
        shell = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = shell.inputReader(StandardCharsets.UTF_8);
        List<String> before = new ArrayList<>();
        String line;
        while ((line = output.readLine()) != null && !line.startsWith("listening ")) {
            before.add(line);
        }
        assertThat(line).as(String.join("\n", before)).isNotNull();
        String[] words = String.valueOf(line).split(" ", 0);
        pid = Long.parseLong(words[1]);
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[2]));
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return address;
    }

    /** Sends it a signal, such as {@code STOP}. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        Waiting.until(() -> !shell.isAlive());
        output.close();
    }

    /** The node: name, incarnation, then name, incarnation and port of its peer. */
    public static void main(String[] arguments) {
        NodeId self = new NodeId(arguments[0], Long.parseLong(arguments[1]));
        NodeId peer = new NodeId(arguments[2], Long.parseLong(arguments[3]));
        int peerPort = Integer.parseInt(arguments[4]);
        NodeLinks links =
                new NodeLinks(self, TestNode.config(), LinkLayer.PLAIN, new OpenLinks(), new Echo(), LinkRecorder.NONE);
        int port = links.listen().getPort();
        links.peers(Map.of(peer, new InetSocketAddress(InetAddress.getLoopbackAddress(), peerPort)));
        System.out.println("listening " + ProcessHandle.current().pid() + " " + port);
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException end) {
            throw new UncheckedIOException(new IOException(end));
        }
    }

    private static final class Echo implements LinkReceiver {
        @Override
        public void onUp(Link link) {}

        @Override
        public void onFrame(Link link, byte[] frame) {
            link.send(frame);
        }

        @Override
        public void onDown(Link link) {}
    }
}
