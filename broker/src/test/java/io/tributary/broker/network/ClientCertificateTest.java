package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tributary.broker.connection.Extensions;
import io.tributary.broker.connection.FakeBackend;
import io.tributary.broker.connection.FakeServices;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.loop.LoopMailboxes;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.ClientRules.CertificateSubject;
import io.tributary.broker.security.ClientRules.Rule;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients over TLS, against a socket whose pipeline is that of a listener with encryption. */
class ClientCertificateTest {
    private static final ClientRules RULES = new ClientRules(List.of(new Rule(
            List.of(new CertificateSubject(TextPattern.of("CN=*,OU=Applications,O=Acme"))), ClientKind.APPLICATION)));

    private final BlockingQueue<ClientInfo> connected = new LinkedBlockingQueue<>();
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private X509Bundle authority;
    private X509Bundle application;
    private X509Bundle meter;

    @BeforeEach
    void makeCertificates() throws Exception {
        authority = new CertificateBuilder()
                .subject("CN=authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        application = new CertificateBuilder()
                .subject("CN=billing, OU=Applications, O=Acme")
                .buildIssuedBy(authority);
        meter = new CertificateBuilder().subject("CN=meter, OU=Meters, O=Acme").buildIssuedBy(authority);
    }

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void subjectDecidesWhenClientHasCertificate() throws Exception {
        int port = listen(ClientAuth.REQUIRE);

        ClientInfo first = connect5(port, application);
        assertThat(first.certificateSubject()).isEqualTo("CN=billing,OU=Applications,O=Acme");
        assertThat(first.kind()).isEqualTo(ClientKind.APPLICATION);
        assertThat(Objects.requireNonNull(first.principal()).name())
                .as("the authenticator has seen the certificate")
                .isEqualTo(application.getCertificate().getSerialNumber().toString());
        assertThat(first.certificate()).as("nobody needs it any more").isNull();
        ClientInfo second = connect3(port, application);
        assertThat(second.kind()).isEqualTo(ClientKind.APPLICATION);
        ClientInfo third = connect3(port, meter);
        assertThat(third.certificateSubject()).isEqualTo("CN=meter,OU=Meters,O=Acme");
        assertThat(third.isApplication()).isFalse();
    }

    @Test
    void thereIsNoSubjectWhenClientShowsNoCertificate() throws Exception {
        ClientInfo client = connect5(listen(ClientAuth.OPTIONAL), null);

        assertThat(client.certificateSubject()).isNull();
        assertThat(client.principal()).isEqualTo(Principal.ANONYMOUS);
        assertThat(client.isApplication()).isFalse();
    }

    @Test
    void thereIsNoSubjectWhenCertificatesAreNotAskedFor() throws Exception {
        ClientInfo client = connect5(listen(ClientAuth.NONE), application);

        assertThat(client.certificateSubject()).isNull();
        assertThat(client.principal()).isEqualTo(Principal.ANONYMOUS);
        assertThat(client.isApplication()).isFalse();
    }

    private ClientInfo connect5(int port, @Nullable X509Bundle certificate) throws Exception {
        var client = Mqtt5Client.builder()
                .identifier("c")
                .serverHost("127.0.0.1")
                .serverPort(port)
                .sslConfig(encryption(certificate))
                .buildBlocking();
        client.connect();
        ClientInfo info = connected.poll(10, TimeUnit.SECONDS);
        client.disconnect();
        assertThat(info).isNotNull();
        return info;
    }

    private ClientInfo connect3(int port, X509Bundle certificate) throws Exception {
        var client = Mqtt3Client.builder()
                .identifier("c")
                .serverHost("127.0.0.1")
                .serverPort(port)
                .sslConfig(encryption(certificate))
                .buildBlocking();
        client.connect();
        ClientInfo info = connected.poll(10, TimeUnit.SECONDS);
        client.disconnect();
        assertThat(info).isNotNull();
        return info;
    }

    private MqttClientSslConfig encryption(@Nullable X509Bundle certificate) throws Exception {
        return MqttClientSslConfig.builder()
                .keyManagerFactory(certificate == null ? null : certificate.toKeyManagerFactory())
                .trustManagerFactory(authority.toTrustManagerFactory())
                .build();
    }

    private int listen(ClientAuth clientAuth) throws Exception {
        X509Bundle server = new CertificateBuilder()
                .subject("CN=broker")
                .addSanIpAddress("127.0.0.1")
                .buildIssuedBy(authority);
        SslContext encryption = SslContextBuilder.forServer(
                        server.getKeyPair().getPrivate(), server.getCertificatePath())
                .trustManager(authority.getCertificate())
                .clientAuth(clientAuth)
                .build();
        SocketLayer layer = pipeline ->
                pipeline.addLast(encryption.newHandler(pipeline.channel().alloc()));
        Pipeline pipeline = new Pipeline(
                listener(),
                layer,
                new DefaultChannelGroup(GlobalEventExecutor.INSTANCE),
                SilentConnections.ofThisProcess());
        Channel listening = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(pipeline)
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private ListenerContext listener() {
        ListenerConfig config = ListenerConfig.tcp("tls", 0);
        Extensions noting = new Extensions(Extensions.NONE.subscriptions(), List.of(new ClientListener() {
            @Override
            public void onConnected(ClientInfo client, boolean sessionPresent) {
                connected.add(client);
            }
        }));
        FakeBackend backend = new FakeBackend();
        return new ListenerContext(
                config,
                NetworkConfig.DEFAULT,
                new ListenerAdmission(config.admission(), System::nanoTime),
                FakeServices.on(backend, RULES, noting),
                backend.target,
                new LoopMailboxes(),
                UnfinishedPackets.ofThisProcess(),
                new StrayClients(config, System::nanoTime, _ -> {}),
                NetworkRecorder.NONE);
    }
}
