package io.tributary.security;

import io.tributary.broker.security.AuthenticatorChain.Link;

/** One authenticator as it is configured; the settings of its kind are checked. */
@FunctionalInterface
public interface AuthenticatorConfig {

    /**
     * Makes the authenticator, with all that it holds: threads, connections, a watched file. May read files, does not
     * wait for other machines.
     *
     * @param name its name, for the log
     */
    Link open(String name, AuthenticatorContext context);
}
