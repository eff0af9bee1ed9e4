package io.tributary.server.advisories;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Advisories that somebody has looked at and found to do no harm here: a file with a line for each, {@code ID DATE
 * REASON}. A line that begins with # says something else.
 *
 * @param byId the lines, by identifier
 */
record AcceptedAdvisories(Map<String, Accepted> byId) {

    /**
     * One that is accepted.
     *
     * @param reason why it does no harm
     */
    record Accepted(LocalDate date, String reason) {}

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException for a line that is not as it should be
     */
    static AcceptedAdvisories of(Path file) throws IOException {
        Map<String, Accepted> byId = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+", 3);
            if (words.length < 3) {
                throw wrong(file, i, line);
            }
            try {
                byId.put(words[0], new Accepted(LocalDate.parse(words[1]), words[2]));
            } catch (DateTimeParseException e) {
                throw wrong(file, i, line);
            }
        }
        return new AcceptedAdvisories(byId);
    }

    private static IllegalArgumentException wrong(Path file, int index, String line) {
        return new IllegalArgumentException(file + ", line " + (index + 1) + ": '" + line
                + "' is not ID DATE REASON, such as: GHSA-xxxx-xxxx-xxxx 2026-11-24 We never call it");
    }

    /** By which of its names an advisory is accepted. */
    Optional<String> nameOf(Advisory advisory) {
        return advisory.names().stream().filter(byId::containsKey).findFirst();
    }
}
