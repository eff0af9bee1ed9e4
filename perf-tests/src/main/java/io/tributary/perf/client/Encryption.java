package io.tributary.perf.client;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.tributary.perf.scenario.MqttOptions;
import io.tributary.perf.scenario.PlannedClient;
import io.tributary.perf.scenario.ScenarioException;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of clients, who take certificates in turn, always the same. Any certificate of the broker will do: what is
 * measured is its cost. Immutable.
 */
final class Encryption {
    private final List<SslContext> contexts;
    private final boolean resumption;

    private Encryption(List<SslContext> contexts, boolean resumption) {
        this.contexts = List.copyOf(contexts);
        this.resumption = resumption;
    }

    /**
     * That of a scenario; null for none.
     *
     * @throws ScenarioException if clients' certificates cannot be used
     */
    static @Nullable Encryption of(MqttOptions mqtt) {
        if (!mqtt.transport().isEncrypted()) {
            return null;
        }
        List<SslContext> contexts = new ArrayList<>();
        if (mqtt.certificates() == null) {
            contexts.add(context(null));
        } else {
            files(Path.of(mqtt.certificates())).forEach(file -> contexts.add(context(file)));
        }
        return new Encryption(contexts, mqtt.resumption());
    }

    private static List<Path> files(Path place) {
        if (!Files.isDirectory(place)) {
            return List.of(place);
        }
        try (Stream<Path> inside = Files.list(place)) {
            List<Path> files = inside.filter(
                            file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
            if (files.isEmpty()) {
                throw new ScenarioException("mqtt.certificates: nothing is in " + place);
            }
            return files;
        } catch (IOException e) {
            throw new ScenarioException("mqtt.certificates: " + place + " cannot be read: " + e, e);
        }
    }

    /** @param certificate a file with a certificate and its key, or null */
    private static SslContext context(@Nullable Path certificate) {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .endpointIdentificationAlgorithm(null);
        try {
            if (certificate != null) {
                File both = certificate.toFile();
                builder.keyManager(both, both);
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new ScenarioException(
                    certificate == null
                            ? "no TLS on this machine"
                            : "mqtt.certificates: " + certificate
                                    + " must have a certificate and its key (PEM, PKCS 8, not encrypted): "
                                    + e.getMessage(),
                    e);
        }
    }

    /** The handler of a new connection. A TLS session is kept under the name of its client, and nobody else gets it. */
    SslHandler handler(ByteBufAllocator allocator, PlannedClient client, InetSocketAddress address) {
        SslContext context = contexts.get(client.number() % contexts.size());
        SslHandler handler = resumption
                ? context.newHandler(allocator, "client-" + client.number(), address.getPort())
                : context.newHandler(allocator);
        askFor(handler.engine(), address.getHostString());
        return handler;
    }

    /** Brokers may have several certificates. Addresses are no names. */
    private static void askFor(SSLEngine engine, String host) {
        if (host.matches(".*\\.[a-zA-Z][a-zA-Z0-9-]*")) {
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(host)));
            engine.setSSLParameters(parameters);
        }
    }
}
