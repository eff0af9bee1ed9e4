package io.tributary.broker.tls;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.PKIXRevocationChecker.Option;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the authority's responder (OCSP, RFC 6960) says of a certificate of ours, for clients to be given in the
 * handshake, so that they need not ask it themselves. Fetched on a thread of its own, each hour, sooner when the answer
 * is good for less than two, and once a minute while that fails; only an answer that a client would accept is given on.
 * Any thread.
 */
final class OcspStaple {
    private static final Logger LOG = LoggerFactory.getLogger(OcspStaple.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long REFRESH_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int LARGEST_ANSWER = 64 * 1024;
    private static final int OK = 200;

    private static final String AUTHORITY_ACCESS = "1.3.6.1.5.5.7.1.1";
    private static final byte[] OCSP = {0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01};
    private static final int URI_NAME = 0x86;
    private static final byte[] SHA_1 = {0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00};

    private final X509Certificate certificate;
    private final X509Certificate issuer;
    private final URI responder;
    private final InstantSource clock;
    private final AtomicBoolean isFetching = new AtomicBoolean();
    private volatile byte @Nullable [] answer;
    private volatile @Nullable String problem;
    private volatile long nextNanos = System.nanoTime();

    private OcspStaple(X509Certificate certificate, X509Certificate issuer, URI responder, InstantSource clock) {
        this.certificate = certificate;
        this.issuer = issuer;
        this.responder = responder;
        this.clock = clock;
    }

    /**
     * That of an identity; nothing is fetched yet.
     *
     * @throws TlsException when its certificate names no responder, or its issuer is not in the file
     */
    static OcspStaple of(Identity identity, InstantSource clock) {
        X509Certificate certificate = identity.certificate();
        String about =
                identity.host().equals(Identity.DEFAULT) ? "the certificate" : "that of hosts." + identity.host();
        if (identity.chain().size() < 2) {
            throw new TlsException(
                    "ocsp-stapling", "'true' needs the certificate of the issuer behind " + about + ", in its file");
        }
        URI responder = responder(certificate);
        if (responder == null) {
            throw new TlsException(
                    "ocsp-stapling",
                    "'true' needs a certificate that says where its authority answers (OCSP, http); " + about
                            + " does not");
        }
        return new OcspStaple(certificate, identity.chain().get(1), responder, clock);
    }

    private static @Nullable URI responder(X509Certificate certificate) {
        byte[] extension = certificate.getExtensionValue(AUTHORITY_ACCESS);
        if (extension == null) {
            return null;
        }
        try {
            Der access = Der.decode(Der.decode(extension).getFirst().content()).getFirst();
            for (Der description : access.parts()) {
                List<Der> parts = description.parts();
                if (Arrays.equals(parts.get(0).content(), OCSP) && parts.get(1).tag() == URI_NAME) {
                    URI named = URI.create(new String(parts.get(1).content(), StandardCharsets.US_ASCII));
                    return "http".equalsIgnoreCase(named.getScheme()) ? named : null;
                }
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException notAsItShouldBe) {
            return null;
        }
        return null;
    }

    /** What clients are given; null for nothing. Not to be modified. */
    byte @Nullable [] answer() {
        return answer;
    }

    /** Why clients are given nothing; null while they are, and before the first question was answered. */
    @Nullable
    String problem() {
        return answer == null ? problem : null;
    }

    /** Takes over what is known already when it is about the same certificate. */
    void takeOver(OcspStaple before) {
        if (certificate.equals(before.certificate)) {
            answer = before.answer;
            problem = before.problem;
            nextNanos = before.nextNanos;
        }
    }

    /** Gives nothing on any more that is out of date, and asks again when it is time. Does not block. */
    void check() {
        byte[] given = answer;
        if (given != null) {
            String outdated = refusal(given, clock.instant());
            if (outdated != null) {
                discard(given, outdated);
            }
        }
        if (System.nanoTime() - nextNanos >= 0 && isFetching.compareAndSet(false, true)) {
            Thread.ofVirtual().name("tributary-ocsp").start(this::fetch);
        }
    }

    /** Unless another one has come since it was looked at. */
    private synchronized void discard(byte[] given, String why) {
        if (Arrays.equals(answer, given)) {
            answer = null;
            if (problem == null) { // else that of a later question says more
                failed("its last answer cannot be used any more: " + why);
            }
            nextNanos = System.nanoTime();
        }
    }

    private synchronized void take(byte[] fetched, long pauseNanos) {
        answer = fetched;
        problem = null;
        nextNanos = System.nanoTime() + pauseNanos;
    }

    private void fetch() {
        try {
            byte[] fetched = ask();
            String refused = refusal(fetched, clock.instant());
            if (refused == null) {
                take(fetched, pauseAfter(fetched));
            } else {
                failed("its answer cannot be used: " + refused);
            }
        } catch (IOException | RuntimeException e) {
            failed("it does not answer: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            isFetching.set(false);
        }
    }

    /** How many nanoseconds later to ask again: half of what the answer is good for, between a minute and an hour. */
    long pauseAfter(byte[] good) {
        long pause = REFRESH_NANOS;
        while (pause > RETRY_NANOS && refusal(good, clock.instant().plusNanos(2 * pause)) != null) {
            pause /= 2;
        }
        return Math.max(pause, RETRY_NANOS);
    }

    private synchronized void failed(String why) {
        String words = "the OCSP responder " + responder + ": " + why;
        if (!words.equals(problem)) {
            LOG.warn("{}, about {}", words, certificate.getSubjectX500Principal());
        }
        problem = words;
        nextNanos = System.nanoTime() + RETRY_NANOS;
    }

    private byte[] ask() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(responder)
                .timeout(TIMEOUT)
                .header("Content-Type", "application/ocsp-request")
                .POST(HttpRequest.BodyPublishers.ofByteArray(question()))
                .build();
        try (HttpClient client = HttpClient.newBuilder()
                .connectTimeout(TIMEOUT)
                .version(HttpClient.Version.HTTP_1_1)
                .build()) {
            HttpResponse<byte[]> response = whole(client.sendAsync(
                    request,
                    HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), LARGEST_ANSWER)));
            if (response.statusCode() != OK) {
                throw new IOException("status " + response.statusCode());
            }
            return response.body();
        }
    }

    /** The time limit of a request ends when headers come; a body may never come. */
    private static HttpResponse<byte[]> whole(CompletableFuture<HttpResponse<byte[]>> coming)
            throws IOException, InterruptedException {
        try {
            return coming.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (TimeoutException e) {
            coming.cancel(true);
            throw new IOException("nothing whole within " + TIMEOUT.toSeconds() + " s", e);
        }
    }

    /** An OCSPRequest about one certificate, as responders everywhere understand it. */
    byte[] question() {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1"); // names certificates here, and protects nothing
            byte[] name = sha1.digest(certificate.getIssuerX500Principal().getEncoded());
            byte[] bits = Der.decode(issuer.getPublicKey().getEncoded())
                    .getFirst()
                    .parts()
                    .get(1)
                    .content();
            byte[] key = sha1.digest(Arrays.copyOfRange(bits, 1, bits.length));
            byte[] about = Der.encode(
                    Der.SEQUENCE,
                    SHA_1,
                    Der.encode(Der.OCTETS, name),
                    Der.encode(Der.OCTETS, key),
                    Der.encode(Der.INTEGER, certificate.getSerialNumber().toByteArray()));
            byte[] list = Der.encode(Der.SEQUENCE, Der.encode(Der.SEQUENCE, about));
            return Der.encode(Der.SEQUENCE, Der.encode(Der.SEQUENCE, list));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a JDK without SHA-1", e);
        }
    }

    /** Why a client would not accept an answer at a time; null when it would. */
    private @Nullable String refusal(byte[] response, Instant time) {
        try {
            CertPathValidator validator = CertPathValidator.getInstance("PKIX");
            PKIXRevocationChecker checker = (PKIXRevocationChecker) validator.getRevocationChecker();
            checker.setOptions(EnumSet.of(Option.ONLY_END_ENTITY, Option.NO_FALLBACK));
            checker.setOcspResponses(Map.of(certificate, response));
            PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(issuer, null)));
            parameters.setDate(Date.from(time));
            parameters.addCertPathChecker(checker);
            validator.validate(
                    CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate)), parameters);
            return null;
        } catch (GeneralSecurityException e) {
            return e.getMessage();
        }
    }
}
