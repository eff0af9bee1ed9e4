package io.tributary.security.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyType;
import java.util.List;
import java.util.Set;

/**
 * Algorithms that use keys of one type. A set of keys has one family, and a token of another family is refused: a
 * public key must never be taken for a shared secret.
 */
@SuppressWarnings("ImmutableEnumChecker") // its fields are immutable, but of a library that does not say so
public enum KeyFamily {
    /** A secret that both sides have: HS256, HS384, HS512. */
    HMAC(KeyType.OCT, Set.of(JWSAlgorithm.HS256, JWSAlgorithm.HS384, JWSAlgorithm.HS512)),
    /** RSA: RS256 to RS512, PS256 to PS512. */
    RSA(
            KeyType.RSA,
            Set.of(
                    JWSAlgorithm.RS256,
                    JWSAlgorithm.RS384,
                    JWSAlgorithm.RS512,
                    JWSAlgorithm.PS256,
                    JWSAlgorithm.PS384,
                    JWSAlgorithm.PS512)),
    /** Elliptic curves: ES256, ES384, ES512. */
    EC(KeyType.EC, Set.of(JWSAlgorithm.ES256, JWSAlgorithm.ES384, JWSAlgorithm.ES512));

    private final KeyType type;
    private final Set<JWSAlgorithm> algorithms;

    KeyFamily(KeyType type, Set<JWSAlgorithm> algorithms) {
        this.type = type;
        this.algorithms = algorithms;
    }

    boolean has(JWSAlgorithm algorithm) {
        return algorithms.contains(algorithm);
    }

    boolean has(JWK key) {
        return key.getKeyType().equals(type);
    }

    /** The family of the first key that is of any but {@link #HMAC}. */
    static KeyFamily ofPublic(List<JWK> keys) {
        for (JWK key : keys) {
            for (KeyFamily family : List.of(RSA, EC)) {
                if (family.has(key)) {
                    return family;
                }
            }
        }
        throw new IllegalArgumentException("has no public key of RSA or of an elliptic curve");
    }
}
