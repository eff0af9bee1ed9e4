package io.tributary.perf.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the processes of a run know each other by. It never goes over the wire: each proves that it knows it by an HMAC
 * of numbers that both have drawn.
 */
public final class Secret {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int RANDOM_BYTES = 32;
    private static final int SHORTEST = 16;

    private final byte[] key;

    private Secret(byte[] key) {
        this.key = key;
    }

    /** A new one. */
    public static Secret random() {
        return new Secret(nonce().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The one in a file.
     *
     * @throws RunException if there is none, or it is shorter than 16 characters
     */
    public static Secret in(Path file) {
        try {
            byte[] key = Files.readString(file).strip().getBytes(StandardCharsets.UTF_8);
            if (key.length < SHORTEST) {
                throw new RunException(file + " has a secret of less than " + SHORTEST + " characters");
            }
            return new Secret(key);
        } catch (IOException e) {
            throw new RunException("there is no secret in " + file + " (" + e.getMessage() + ")", e);
        }
    }

    /** Writes it to a file that this user alone can read. */
    public void write(Path file) throws IOException {
        Files.writeString(file, new String(key, StandardCharsets.UTF_8));
    }

    /** Lets in whoever connected, if it knows the secret, and proves that this side does. */
    void accept(Frames peer) throws IOException {
        String mine = nonce();
        peer.write(Frames.message().put("nonce", mine));
        JsonNode greeting = peer.read();
        String theirs = greeting.path("nonce").asText();
        check(proof("runner", mine, theirs), greeting.path("proof").asText());
        peer.write(Frames.message().put("proof", proof("orchestrator", theirs, mine)));
        peer.trust();
    }

    /** Proves to whom this process connected that it knows the secret, and has it proved. */
    void greet(Frames peer) throws IOException {
        String theirs = peer.read().path("nonce").asText();
        String mine = nonce();
        peer.write(Frames.message().put("nonce", mine).put("proof", proof("runner", theirs, mine)));
        check(proof("orchestrator", mine, theirs), peer.read().path("proof").asText());
        peer.trust();
    }

    private static void check(String expected, String proof) throws IOException {
        boolean same = MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), proof.getBytes(StandardCharsets.UTF_8));
        if (!same) {
            throw new IOException("the other side has another secret");
        }
    }

    private String proof(String role, String first, String second) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            String text = role + "|" + first + "|" + second;
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is part of every Java", e);
        }
    }

    private static String nonce() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
