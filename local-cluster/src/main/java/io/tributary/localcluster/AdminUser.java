package io.tributary.localcluster;

/** Who may do anything with servers that otherwise nobody may use. */
public record AdminUser(String name, String password) {
    /** Checks that both can be written into a configuration file. */
    public AdminUser {
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
