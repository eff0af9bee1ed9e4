package io.tributary.security.jwt;

import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.watch.FileContent;
import io.tributary.security.web.WebClient;
import io.tributary.security.work.WorkPool;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How tokens are checked.
 *
 * @param origin where the keys come from
 * @param issuer what the claim {@code iss} must be; null for anything
 * @param audience what must be in the claim {@code aud}; null for anything
 * @param property the user property with the token; null for the password
 * @param claims which claims say what
 * @param realm what the principals' names are unique in
 */
public record JwtConfig(
        Origin origin,
        @Nullable String issuer,
        @Nullable String audience,
        @Nullable String property,
        TokenClaims claims,
        String realm)
        implements AuthenticatorConfig {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final int WAITING = 10_000;

    /** Where keys come from. */
    public sealed interface Origin {}

    /** They are there, and stay as they are: of a program that has the broker in it. */
    public record Given(Keys keys) implements Origin {}

    /** They are in a file, which is read again when it changes. */
    public record InFile(FileContent<Keys> file) implements Origin {}

    /**
     * They are on the web.
     *
     * @param address of a key set (JWKS)
     * @param authorities the file with the authorities to trust; null for those that Java trusts
     */
    public record Web(URI address, @Nullable Path authorities) implements Origin {}

    @Override
    public Link open(String name, AuthenticatorContext context) {
        KeySource source = switch (origin) {
            case Given(Keys keys) -> KeySource.of(keys);
            case InFile(FileContent<Keys> file) -> KeySource.of(file.watch(name));
            case Web(URI address, Path authorities) ->
                new RemoteKeys(name, address, new WebClient(authorities, CONNECT_TIMEOUT), System::nanoTime);
        };
        WorkPool threads = WorkPool.computing("tributary-tokens", 1, WAITING);
        JwtAuthenticator authenticator = new JwtAuthenticator(this, source, context.clock(), threads);
        return new Link(name, authenticator, List.of(authenticator), () -> {
            threads.close();
            source.close();
        });
    }
}
