package io.tributary.broker.security;

import io.tributary.common.event.Principal;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Knows who may not connect, whatever authenticators say. Asked before them. Any thread; must be fast. */
public interface BanList {

    /** Nobody is banned. */
    BanList NONE = new BanList() {
        @Override
        public boolean isBanned(InetAddress address) {
            return false;
        }

        @Override
        public boolean isBanned(String clientId, @Nullable String userName) {
            return false;
        }

        @Override
        public boolean isBanned(Principal principal) {
            return false;
        }
    };

    /** Whether nobody may connect from the address. */
    boolean isBanned(InetAddress address);

    /** Whether a client may not connect, by its client identifier or the user name that it claims to have. */
    boolean isBanned(String clientId, @Nullable String userName);

    /** Whether one that was authenticated may not connect, by its name or tenant. */
    boolean isBanned(Principal principal);
}
