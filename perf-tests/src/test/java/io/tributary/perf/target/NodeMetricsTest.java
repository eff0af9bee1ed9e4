package io.tributary.perf.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.tributary.localcluster.LocalAuthority;
import io.tributary.perf.machine.Usage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeMetricsTest {
    private String answer = """
            process_cpu_time_ns_total 1.5E9
            jvm_memory_used_bytes{area="heap",id="G1 Eden Space"} 3.0E6
            jvm_memory_used_bytes{area="heap",id="G1 Old Gen"} 4.0E6
            jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 5.0E6
            jvm_gc_live_data_size_bytes 2.0E6
            jvm_threads_live_threads 25.0
            process_files_open_files 120.0
            tributary_network_bytes_total{direction="received"} 100.0
            tributary_network_bytes_total{direction="sent"} 200.0
            tributary_links_bytes_total{direction="sent"} 30.0
            tributary_redis_bytes_total{direction="sent"} 4.0
            """;

    private FakeNode node;

    @BeforeEach
    void start() throws IOException {
        node = new FakeNode(_ -> answer);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void saysWhatTheNodeHasTaken() {
        assertThat(metrics().get())
                .isEqualTo(new Usage(1_500_000_000, 7_000_000, 25, 120, 2_000_000, Usage.UNKNOWN, 234, false));
    }

    @Test
    void asksByHttpsWhateverItsCertificate(@TempDir Path directory) throws IOException {
        LocalAuthority authority = LocalAuthority.in(directory.resolve("tls"));
        JdkSslContext context = (JdkSslContext) SslContextBuilder.forServer(
                        authority.serverCertificate().toFile(),
                        authority.serverKey().toFile())
                .sslProvider(SslProvider.JDK)
                .build();
        try (FakeNode encrypted = FakeNode.encrypted(_ -> answer, context.context())) {
            assertThat(new NodeMetrics(encrypted.listener()).get().threads()).isEqualTo(25);
        }
    }

    @Test
    void refusesWhatIsNoNode() {
        answer = "up 1\n";
        assertThatThrownBy(() -> metrics().get())
                .isInstanceOf(TargetException.class)
                .hasMessageContaining("is no node of a Tributary");
    }

    @Test
    void saysWhichNodeDoesNotAnswer() {
        NodeMetrics gone = metrics();
        node.close();
        assertThatThrownBy(gone::get).isInstanceOf(TargetException.class).hasMessageContaining(":" + node.port());
    }

    @Test
    void refusesWhatIsNoAddressOfHttp() {
        assertThatThrownBy(() -> new NodeMetrics(URI.create("host:9093")))
                .isInstanceOf(TargetException.class)
                .hasMessageContaining("host:9093 is not the HTTP listener of a node");
    }

    @Test
    void isSeveralNodesWhenTheNameHasSeveralAddresses() throws IOException {
        List<InetAddress> several = List.of(InetAddress.ofLiteral("10.0.0.5"), InetAddress.ofLiteral("fd00::1"));
        Map<String, List<InetAddress>> names =
                Map.of("nodes", several, "one", List.of(InetAddress.ofLiteral("10.0.0.9")), "none", List.of());
        Map<String, URI> asked = new LinkedHashMap<>();
        asked.put("mqtt", URI.create("http://nodes:9093"));
        asked.put("alone", URI.create("http://one:9093"));
        asked.put("gone", URI.create("http://none"));
        assertThat(NodeMetrics.each(asked, host -> names.getOrDefault(host, List.of()), _ -> true))
                .containsExactly(
                        Map.entry("mqtt-1", URI.create("http://10.0.0.5:9093")),
                        Map.entry("mqtt-2", URI.create("http://[fd00:0:0:0:0:0:0:1]:9093")),
                        Map.entry("alone", URI.create("http://one:9093")),
                        Map.entry("gone", URI.create("http://none")));
    }

    @Test
    void isItselfWhenAnAddressWasGiven() {
        Map<String, URI> node = Map.of("n1", URI.create("http://127.0.0.1:9093"));
        assertThat(NodeMetrics.each(node, new PrintWriter(Writer.nullWriter()))).isEqualTo(node);
    }

    @Test
    void leavesOutAddressesThatDoNotAnswer() {
        List<InetAddress> several = List.of(InetAddress.ofLiteral("10.0.0.5"), InetAddress.ofLiteral("10.0.0.7"));
        Map<String, URI> asked = Map.of("mqtt", URI.create("http://nodes:9093"));
        URI second = URI.create("http://10.0.0.7:9093");
        assertThat(NodeMetrics.each(asked, _ -> several, second::equals)).containsExactly(Map.entry("mqtt-1", second));
        assertThatThrownBy(() -> NodeMetrics.each(asked, _ -> several, _ -> false))
                .isInstanceOf(TargetException.class)
                .hasMessageContaining("none of its addresses answers");
    }

    @Test
    void refusesTwoNodesOfOneName() {
        List<InetAddress> several = List.of(InetAddress.ofLiteral("10.0.0.5"), InetAddress.ofLiteral("10.0.0.7"));
        Map<String, URI> asked = Map.of("n", URI.create("http://nodes:9093"), "n-1", URI.create("http://one:9093"));
        assertThatThrownBy(() -> NodeMetrics.each(asked, host -> host.equals("nodes") ? several : List.of(), _ -> true))
                .isInstanceOf(TargetException.class)
                .hasMessageContaining("two nodes would be called n-1");
    }

    private NodeMetrics metrics() {
        return new NodeMetrics(URI.create("http://127.0.0.1:" + node.port()));
    }
}
