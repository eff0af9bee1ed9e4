package io.tributary.security.scram;

import com.ongres.saslprep.SASLprep;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.EnhancedAuthenticator.Continue;
import io.tributary.broker.security.EnhancedAuthenticator.Exchange;
import io.tributary.broker.security.EnhancedAuthenticator.Failure;
import io.tributary.broker.security.EnhancedAuthenticator.Step;
import io.tributary.broker.security.EnhancedAuthenticator.Success;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.security.password.ScramCredential;
import io.tributary.security.password.ScramCredential.Mechanism;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * One exchange of SCRAM, the server's side (RFC 5802, section 5):
 *
 * <pre>
 *   client-first  n,,n=USER,r=NONCE
 *   server-first  r=NONCE+OURS,s=SALT,i=ITERATIONS
 *   client-final  c=biws,r=NONCE+OURS,p=PROOF
 *   server-final  v=SIGNATURE
 * </pre>
 *
 * Anything else is a no. Channel binding is not offered.
 */
final class ScramExchange implements Exchange {
    private static final int LONGEST_MESSAGE = 4_096;
    private static final Pattern FIRST =
            Pattern.compile("([ny],(?:a=([^,]*))?,)(n=([^,]+),r=([\\x21-\\x2b\\x2d-\\x7e]+)(?:,[A-Za-z]=.*)?)");

    /** Possessive: else the matcher would go one call deeper for each extension. */
    private static final Pattern FINAL = Pattern.compile("(c=([^,]+),r=([^,]+)(?:,[A-Za-z&&[^p]]=[^,]*)*+),p=([^,]+)");

    private final ScramAuthenticator authenticator;
    private final Principal known;
    private final String ownNonce;

    /** What came and went so far; null before the first message. */
    private @Nullable First first;

    private record First(String header, String userName, String nonce, String messages, ScramCredential credential) {}

    /** @param known who the client is that authenticates again; {@link Principal#ANONYMOUS} in CONNECT */
    ScramExchange(ScramAuthenticator authenticator, Principal known, String ownNonce) {
        this.authenticator = authenticator;
        this.known = known;
        this.ownNonce = ownNonce;
    }

    @Override
    public CompletionStage<Step> next(byte @Nullable [] data) {
        return EnhancedAuthenticator.answer(step(data));
    }

    private Step step(byte @Nullable [] data) {
        try {
            String message = text(data);
            return first == null ? first(message) : last(first, message);
        } catch (CharacterCodingException | IllegalArgumentException malformed) {
            return no("a malformed message of SCRAM");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC", e);
        }
    }

    private Step first(String message) {
        Matcher parts = FIRST.matcher(message);
        if (!parts.matches()) {
            return no("a first message that is none of SCRAM, or asks for channel binding");
        }
        String userName = prepared(parts.group(4));
        String other = parts.group(2);
        if (other != null && !prepared(other).equals(userName)) {
            return no("a client that wants to be somebody else than it proves");
        }
        if (!known.equals(Principal.ANONYMOUS) && !known.name().equals(userName)) { // it is not to guess
            return no("a client that authenticates again as another user");
        }
        ScramCredential credential = authenticator.credential(userName);
        String nonce = parts.group(5) + ownNonce;
        String answer = "r=" + nonce + ",s=" + base64(credential.salt()) + ",i=" + credential.iterations();
        first = new First(parts.group(1), userName, nonce, parts.group(3) + "," + answer, credential);
        return new Continue(answer.getBytes(StandardCharsets.UTF_8));
    }

    private Step last(First begun, String message) throws GeneralSecurityException {
        Matcher parts = FINAL.matcher(message);
        if (!parts.matches()
                || !parts.group(2).equals(base64(begun.header().getBytes(StandardCharsets.UTF_8)))
                || !parts.group(3).equals(begun.nonce())) {
            return no("a last message that does not belong to the first");
        }
        ScramCredential credential = begun.credential();
        byte[] signed = (begun.messages() + "," + parts.group(1)).getBytes(StandardCharsets.UTF_8);
        byte[] proof = Base64.getDecoder().decode(parts.group(4));
        byte[] clientKey = xor(proof, mac(credential.mechanism(), credential.storedKey(), signed));
        byte[] storedKey =
                MessageDigest.getInstance(credential.mechanism().digest()).digest(clientKey);
        boolean right = MessageDigest.isEqual(storedKey, credential.storedKey());
        Accepted accepted = authenticator.accepted(begun.userName());
        if (!right || accepted == null) {
            return new Failure(ReasonCode.NOT_AUTHORIZED, "a wrong password, or an unknown user", begun.userName());
        }
        String signature = "v=" + base64(mac(credential.mechanism(), credential.serverKey(), signed));
        return new Success(signature.getBytes(StandardCharsets.UTF_8), accepted);
    }

    static byte[] mac(Mechanism mechanism, byte[] key, byte[] text) throws GeneralSecurityException {
        String algorithm = mechanism.mac();
        Mac mac = Mac.getInstance(algorithm);
        mac.init(new SecretKeySpec(key, algorithm));
        return mac.doFinal(text);
    }

    private static byte[] xor(byte[] one, byte[] other) {
        if (one.length != other.length) {
            throw new IllegalArgumentException("a proof of another length");
        }
        byte[] result = new byte[one.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = (byte) (one[i] ^ other[i]);
        }
        return result;
    }

    /** A name as SASLprep (RFC 4013) compares it, without the escapes of SCRAM. */
    private static String prepared(String escaped) {
        if (escaped.replaceAll("=2C|=3D", "").contains("=")) {
            throw new IllegalArgumentException("a wrong escape");
        }
        try {
            return new SASLprep().prepareStored(escaped.replace("=2C", ",").replace("=3D", "="));
        } catch (IndexOutOfBoundsException nothing) { // what the library has to say of a name of which nothing is left
            throw new IllegalArgumentException("an empty name", nothing);
        }
    }

    private static String text(byte @Nullable [] data) throws CharacterCodingException {
        if (data == null || data.length > LONGEST_MESSAGE) {
            throw new IllegalArgumentException("no message, or too long a one");
        }
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static Failure no(String why) {
        return new Failure(ReasonCode.NOT_AUTHORIZED, why);
    }
}
