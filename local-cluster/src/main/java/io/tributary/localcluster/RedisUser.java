package io.tributary.localcluster;

/** The one user that may do anything; there is no other then. */
public record RedisUser(String name, String password) {
    /** Checks that both can be written into a configuration file. */
    public RedisUser {
        if (!name.matches("[A-Za-z0-9_-]+")) {
            throw new IllegalArgumentException("a user's name is of letters, digits, _ and -");
        }
        if (password.isEmpty() || password.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("a password is not empty and has no control characters");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
