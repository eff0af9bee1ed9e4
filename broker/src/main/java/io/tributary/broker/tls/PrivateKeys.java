package io.tributary.broker.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Reads private keys in PEM: PKCS 8, encrypted or not, and what programs wrote before there was that ({@code BEGIN RSA
 * PRIVATE KEY}, {@code BEGIN EC PRIVATE KEY}), not encrypted.
 */
final class PrivateKeys {
    private static final Pattern PEM = Pattern.compile(
            "-----BEGIN ((?:[A-Z0-9]+ )*)PRIVATE KEY-----(.*?)-----END \\1PRIVATE KEY-----", Pattern.DOTALL);
    private static final String REMEDY = "openssl pkcs8 -topk8 -in <key> -out <new key> writes one that can be used";

    private static final int INTEGER = 0x02;
    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final byte[] VERSION_ZERO = HexFormat.of().parseHex("020100");
    private static final byte[] OF_RSA = HexFormat.of().parseHex("06092a864886f70d0101010500");
    private static final byte[] OF_EC = HexFormat.of().parseHex("06072a8648ce3d0201");

    private PrivateKeys() {}

    /**
     * The key in a file.
     *
     * @throws TlsException when it cannot be read; the words have nothing of the key or the password
     */
    static PrivateKey parse(String part, Path file, byte[] content, char @Nullable [] password) {
        Matcher pem = PEM.matcher(new String(content, StandardCharsets.ISO_8859_1));
        if (!pem.find()) {
            throw new TlsException(part, "'" + file + "' has no private key in PEM");
        }
        String kind = pem.group(1).strip();
        if (pem.group(2).contains("Proc-Type:")) {
            throw new TlsException(part, "'" + file + "' is encrypted in an old way; " + REMEDY);
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(pem.group(2));
            return switch (kind) {
                case "" -> ofPkcs8(der);
                case "ENCRYPTED" -> ofPkcs8(decrypted(part, file, der, password));
                case "RSA" -> ofPkcs8(pkcs8(OF_RSA, der));
                case "EC" -> ofPkcs8(pkcs8(join(OF_EC, curve(der)), der));
                default -> throw new TlsException(part, "'" + file + "' has a key of a kind not known; " + REMEDY);
            };
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            if (e instanceof TlsException known) {
                throw known;
            }
            throw new TlsException(part, "'" + file + "' has a private key that cannot be read; " + REMEDY);
        }
    }

    private static byte[] decrypted(String part, Path file, byte[] der, char @Nullable [] password)
            throws IOException, GeneralSecurityException {
        if (password == null) {
            throw new TlsException(
                    part,
                    "'" + file + "' is encrypted: " + part + "-password-file must say where the" + " password is");
        }
        EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
        // Of PBES2 the parameters have the name that factories know, such as PBEWithHmacSHA256AndAES_256.
        String algorithm =
                info.getAlgName().startsWith("PBE") && !info.getAlgName().equals("PBES2")
                        ? info.getAlgName()
                        : info.getAlgParameters().toString();
        try {
            Cipher cipher = Cipher.getInstance(algorithm);
            PBEKeySpec spec = new PBEKeySpec(password);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(spec),
                    info.getAlgParameters());
            spec.clearPassword();
            return info.getKeySpec(cipher).getEncoded();
        } catch (InvalidKeySpecException | InvalidKeyException | InvalidAlgorithmParameterException e) {
            throw new TlsException(
                    part, "'" + file + "' cannot be decrypted with the password in " + part + "-password-file");
        } catch (NoSuchAlgorithmException e) {
            throw new TlsException(part, "'" + file + "' is encrypted in a way not known; " + REMEDY);
        }
    }

    private static PrivateKey ofPkcs8(byte[] der) throws GeneralSecurityException {
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(der);
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException notThisOne) {
                // the next, then
            }
        }
        throw new InvalidKeySpecException("neither RSA nor EC nor EdDSA");
    }

    /** Wraps the key of an algorithm as PKCS 8 does. */
    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        return tagged(SEQUENCE, join(VERSION_ZERO, tagged(SEQUENCE, algorithm), tagged(OCTETS, key)));
    }

    /** The object identifier of the curve in an EC key: behind a version and the number, in brackets. */
    private static byte[] curve(byte[] key) {
        int at = content(key, 0, SEQUENCE);
        at = behind(key, at, INTEGER);
        at = behind(key, at, OCTETS);
        int begin = content(key, at, 0xA0);
        return Arrays.copyOfRange(key, begin, begin + 2 + key[begin + 1]);
    }

    /** Where the content of an element begins. */
    private static int content(byte[] der, int at, int tag) {
        if ((der[at] & 0xFF) != tag) {
            throw new IllegalArgumentException("another element than expected");
        }
        int first = der[at + 1] & 0xFF;
        return at + 2 + (first < 0x80 ? 0 : first & 0x7F);
    }

    /** Where the element behind a short one begins. */
    private static int behind(byte[] der, int at, int tag) {
        return content(der, at, tag) + der[at + 1];
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            out.write(0x82); // two bytes of length follow
            out.write(content.length >> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
