package io.tributary.security.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.work.WorkPool;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Signed JSON Web Tokens (RFC 7519), as the password or in a user property of CONNECT, or by the authentication method
 * {@value #METHOD}, with which a client may bring a new token before the old one ends. A password that does not look
 * like a token, and a token of another issuer, are left to the next authenticator.
 */
final class JwtAuthenticator implements Authenticator, EnhancedAuthenticator {
    /** The authentication method of a client that sends a token as its authentication data. */
    static final String METHOD = "OAUTH2-JWT";

    private static final int LARGEST_TOKEN = 8 * 1024;
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(30);

    private final JwtConfig config;
    private final KeySource source;
    private final InstantSource clock;
    private final WorkPool threads;

    JwtAuthenticator(JwtConfig config, KeySource source, InstantSource clock, WorkPool threads) {
        this.config = config;
        this.source = source;
        this.clock = clock;
        this.threads = threads;
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
        return authenticate(client, password, Asker.UNKNOWN);
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password, Asker asker) {
        byte[] token = config.property() == null ? password : property(client, config.property());
        return token == null || !looksLikeToken(token)
                ? Authenticator.answer(NotMine.PLAIN)
                : check(client, token, asker);
    }

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public Exchange begin(ClientInfo client) {
        return begin(client, Asker.UNKNOWN);
    }

    @Override
    public Exchange begin(ClientInfo client, Asker asker) {
        return data -> data == null
                ? EnhancedAuthenticator.answer(new Failure(ReasonCode.NOT_AUTHORIZED, "no token"))
                : check(client, data, asker).thenApply(JwtAuthenticator::step);
    }

    private static Step step(Result result) {
        return switch (result) {
            case Accepted yes -> new Success(null, yes);
            case Refused no -> new Failure(no.reason(), no.message());
            case NotMine _ -> new Failure(ReasonCode.NOT_AUTHORIZED, "a token of another issuer");
        };
    }

    private CompletionStage<Result> check(ClientInfo client, byte[] token, Asker asker) {
        if (token.length > LARGEST_TOKEN) {
            return no("the token has more than " + LARGEST_TOKEN + " bytes");
        }
        JWSHeader header;
        JWTClaimsSet claims;
        try {
            SignedJWT parsed = parse(token);
            header = parsed.getHeader();
            claims = parsed.getJWTClaimsSet();
        } catch (ParseException | RuntimeException malformed) {
            return no("not a signed token");
        }
        if (claims == null) {
            return no("not a token with claims");
        }
        if (config.issuer() != null && !config.issuer().equals(claims.getIssuer())) {
            return Authenticator.answer(NotMine.PLAIN);
        }
        // Only the bytes wait: what is parsed of them takes up to thirty times as much, and anybody may have sent it.
        return AuthenticatorContext.busyWhenRejected(source.keysFor(header)
                .thenCompose(keys -> threads.submit(asker, () -> decide(client, token, keys))));
    }

    private static SignedJWT parse(byte[] token) throws ParseException {
        return SignedJWT.parse(new String(token, StandardCharsets.US_ASCII)); // not one without a signature
    }

    private Result decide(ClientInfo client, byte[] token, Keys keys) {
        try {
            SignedJWT parsed = parse(token);
            return decide(client, parsed, parsed.getJWTClaimsSet(), keys);
        } catch (ParseException changed) {
            throw new IllegalStateException("the token was changed while it waited", changed);
        }
    }

    private Result decide(ClientInfo client, SignedJWT token, JWTClaimsSet claims, Keys keys) {
        if (!keys.family().has(token.getHeader().getAlgorithm())) {
            return refused("a signature of another family than the keys");
        }
        if (!isSigned(token, keys)) {
            return refused("a signature of an unknown key, or a wrong one");
        }
        Instant now = clock.instant();
        Date end = claims.getExpirationTime();
        if (end != null && !now.isBefore(end.toInstant())) {
            return refused("the token has ended");
        }
        Date begin = claims.getNotBeforeTime();
        if (begin != null && now.plus(CLOCKS_DIFFER).isBefore(begin.toInstant())) {
            return refused("the token has not begun");
        }
        if (config.audience() != null && !claims.getAudience().contains(config.audience())) {
            return refused("a token for another audience");
        }
        return accepted(client, claims, end == null ? null : end.toInstant());
    }

    private Result accepted(ClientInfo client, JWTClaimsSet claims, @Nullable Instant end) {
        TokenClaims mapped = config.claims();
        String name = TokenClaims.text(claims, mapped.name());
        if (name == null || name.isEmpty()) {
            return refused("the token has no claim " + mapped.name());
        }
        if (mapped.clientId() != null && !client.clientId().equals(TokenClaims.text(claims, mapped.clientId()))) {
            return refused("a token for another client identifier");
        }
        try {
            Principal principal = new Principal(
                    config.realm(),
                    name,
                    TokenClaims.text(claims, mapped.userName()),
                    mapped.tenantIn(claims),
                    mapped.groupsIn(claims),
                    null,
                    mapped.rulesIn(claims));
            return new Accepted(mapped.kindIn(claims), principal, end, mapped.attributesIn(claims));
        } catch (IllegalArgumentException tooMuch) {
            return refused(String.valueOf(tooMuch.getMessage()));
        }
    }

    private static boolean isSigned(SignedJWT token, Keys keys) {
        return keys.candidates(token.getHeader()).stream().anyMatch(key -> isSignedWith(token, key));
    }

    private static boolean isSignedWith(SignedJWT token, JWK key) {
        try {
            JWSVerifier verifier = verifier(key);
            return verifier.supportedJWSAlgorithms().contains(token.getHeader().getAlgorithm())
                    && token.verify(verifier);
        } catch (JOSEException | RuntimeException unfit) {
            return false; // a key of another curve, for instance
        }
    }

    private static JWSVerifier verifier(JWK key) throws JOSEException {
        return switch (key) {
            case OctetSequenceKey secret -> new MACVerifier(secret);
            case RSAKey rsa -> new RSASSAVerifier(rsa);
            case ECKey ec -> new ECDSAVerifier(ec);
            default -> throw new JOSEException("no such family");
        };
    }

    /** Three parts of Base64, of which the first is a JSON object. */
    private static boolean looksLikeToken(byte[] text) {
        int dots = 0;
        for (byte character : text) {
            dots += character == '.' ? 1 : 0;
        }
        return dots == 2 && text.length > 3 && text[0] == 'e' && (text[1] == 'y' || text[1] == 'w');
    }

    private static byte @Nullable [] property(ClientInfo client, String name) {
        for (UserProperty property : client.userProperties()) {
            if (property.name().equals(name)) {
                return property.value().getBytes(StandardCharsets.UTF_8);
            }
        }
        return null;
    }

    private static CompletionStage<Result> no(String why) {
        return Authenticator.answer(refused(why));
    }

    private static Result refused(String why) {
        return new Refused(ReasonCode.NOT_AUTHORIZED, why);
    }
}
