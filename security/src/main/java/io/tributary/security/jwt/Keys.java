package io.tributary.security.jwt;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keys of one family, with which tokens may be signed.
 *
 * @param family what the keys are
 * @param keys the keys
 */
public record Keys(KeyFamily family, List<JWK> keys) {
    private static final int LEAST_SECRET_BYTES = 32;
    private static final int LEAST_RSA_BITS = 2_048;
    private static final int MOST_KEYS = 64;
    private static final Pattern PEM =
            Pattern.compile("-----BEGIN (PUBLIC KEY|CERTIFICATE)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");

    /** Leaves keys of other families out, and keys that are for something else than signatures. */
    public Keys {
        keys = keys.stream()
                .filter(family::has)
                .filter(Keys::isUsable)
                .limit(MOST_KEYS)
                .toList();
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("has no key that is for signatures and long enough");
        }
    }

    private static boolean isUsable(JWK key) {
        return (key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE))
                && (!(key instanceof RSAKey rsa) || rsa.size() >= LEAST_RSA_BITS);
    }

    /**
     * A shared secret.
     *
     * @throws IllegalArgumentException when it is shorter than 32 bytes
     */
    public static Keys secret(byte[] secret) {
        if (secret.length < LEAST_SECRET_BYTES) {
            throw new IllegalArgumentException("the secret has " + secret.length + " bytes; it must have "
                    + LEAST_SECRET_BYTES + " or more, as openssl rand -hex 32 makes them");
        }
        return new Keys(KeyFamily.HMAC, List.of(new OctetSequenceKey.Builder(secret).build()));
    }

    /**
     * The keys in a file: public keys or certificates (PEM), or a key set (JWKS).
     *
     * @throws IllegalArgumentException when it cannot be read, or has no public key of RSA or of an elliptic curve
     */
    public static Keys file(Path file) {
        try {
            String text = Files.readString(file);
            return text.stripLeading().startsWith("{") ? set(text, null) : pem(text);
        } catch (IOException e) {
            throw new IllegalArgumentException("'" + file + "' cannot be read: " + e, e);
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            throw new IllegalArgumentException("'" + file + "' " + e.getMessage(), e);
        }
    }

    /**
     * A key set (JWKS). Shared secrets in it do not count: the set is public.
     *
     * @param before the family that is taken while the set has usable keys of it; else, and with null, that of the
     *     first usable key is
     */
    static Keys set(String json, @Nullable KeyFamily before) {
        try {
            List<JWK> all = JWKSet.parse(json).getKeys();
            List<JWK> usable = all.stream().filter(Keys::isUsable).toList();
            if (before != null && usable.stream().anyMatch(before::has)) {
                return new Keys(before, usable);
            }
            return new Keys(KeyFamily.ofPublic(usable.isEmpty() ? all : usable), all);
        } catch (ParseException e) {
            throw new IllegalArgumentException("is not a key set (JWKS)", e);
        }
    }

    private static Keys pem(String text) throws GeneralSecurityException {
        List<JWK> keys = new ArrayList<>();
        Matcher blocks = PEM.matcher(text);
        while (blocks.find()) {
            byte[] der = Base64.getMimeDecoder().decode(blocks.group(2));
            keys.add(key(blocks.group(1).equals("CERTIFICATE") ? ofCertificate(der) : publicKey(der)));
        }
        return new Keys(KeyFamily.ofPublic(keys), keys);
    }

    private static PublicKey ofCertificate(byte[] der) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(der))
                .getPublicKey();
    }

    private static PublicKey publicKey(byte[] der) throws GeneralSecurityException {
        X509EncodedKeySpec encoded = new X509EncodedKeySpec(der);
        try {
            return KeyFactory.getInstance("RSA").generatePublic(encoded);
        } catch (GeneralSecurityException other) {
            return KeyFactory.getInstance("EC").generatePublic(encoded);
        }
    }

    private static JWK key(PublicKey key) {
        return switch (key) {
            case RSAPublicKey rsa -> new RSAKey.Builder(rsa).build();
            case ECPublicKey ec -> new ECKey.Builder(Curve.forECParameterSpec(ec.getParams()), ec).build();
            default ->
                throw new IllegalArgumentException("has a key of " + key.getAlgorithm() + "; it must be RSA or EC");
        };
    }

    /**
     * The keys that may have signed a token: that with the identifier which the token names, else all that have none.
     */
    List<JWK> candidates(JWSHeader header) {
        String id = header.getKeyID();
        return keys.stream()
                .filter(key -> key.getKeyID() == null || key.getKeyID().equals(id) || (id == null && keys.size() == 1))
                .toList();
    }

    /** How many keys there are: they are nobody's business. */
    @Override
    public String toString() {
        return keys.size() + " keys of " + family;
    }

    /** The bytes of a secret that is a text. */
    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
