package io.tributary.broker.connection;

import java.security.SecureRandom;

/** Client identifiers for clients that bring none: they cannot be guessed, and no two are the same [MQTT-3.1.3-6]. */
final class ClientIdentifiers {
    /** 22 letters and digits hold 131 random bits. */
    private static final int LENGTH = 22;

    private static final String LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final SecureRandom RANDOM = new SecureRandom();

    private ClientIdentifiers() {}

    /** A new identifier, of characters that every client can use again [MQTT-3.1.3-5]. */
    static String random() {
        StringBuilder text = new StringBuilder(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            text.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        return text.toString();
    }
}
