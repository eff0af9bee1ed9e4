package io.tributary.server.advisories;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;

/** An entry of a database in the format OSV, as far as it is about libraries of Maven. */
record Advisory(String id, List<String> aliases, String summary, boolean isWithdrawn, List<Map<?, ?>> affected) {

    /** @throws IllegalArgumentException when it is none */
    static Advisory parse(String json) {
        Map<String, Object> tree;
        try {
            tree = JsonParserFactory.getJsonParser().parseMap(json);
        } catch (JsonParseException e) {
            throw new IllegalArgumentException("is not JSON", e);
        }
        if (!(tree.get("id") instanceof String id)) {
            throw new IllegalArgumentException("is no entry in the format OSV: it has no id");
        }
        String summary = String.valueOf(tree.getOrDefault("summary", tree.getOrDefault("details", "")));
        return new Advisory(
                id,
                texts(tree.get("aliases")).toList(),
                summary.lines().findFirst().orElse(""),
                tree.containsKey("withdrawn"),
                maps(tree.get("affected")).toList());
    }

    /** All names that it goes by, its identifier first. */
    List<String> names() {
        return Stream.concat(Stream.of(id), aliases.stream()).toList();
    }

    /** Whether this version of this library is vulnerable. */
    boolean concerns(Library library) {
        return !isWithdrawn
                && of(library)
                        .anyMatch(entry -> texts(entry.get("versions")).anyMatch(library.version()::equals)
                                || ranges(entry).anyMatch(range -> isWithin(library, range)));
    }

    /** The lowest version above the library's that is said to be repaired. */
    Optional<String> fixedIn(Library library) {
        MavenVersion own = MavenVersion.of(library.version());
        return of(library)
                .flatMap(Advisory::ranges)
                .flatMap(range -> maps(range.get("events")))
                .filter(event -> event.get("fixed") != null)
                .map(event -> String.valueOf(event.get("fixed")))
                .filter(version -> MavenVersion.of(version).compareTo(own) > 0)
                .min(Comparator.comparing(MavenVersion::of));
    }

    private Stream<Map<?, ?>> of(Library library) {
        return affected.stream()
                .filter(entry -> entry.get("package") instanceof Map<?, ?> named
                        && String.valueOf(named.get("ecosystem"))
                                .split(":", -1)[0]
                                .equals("Maven")
                        && library.name().equals(named.get("name")));
    }

    private static Stream<Map<?, ?>> ranges(Map<?, ?> entry) {
        return maps(entry.get("ranges")).filter(range -> !"GIT".equals(range.get("type")));
    }

    /** Goes through what happened, in the order of versions, up to the library's. */
    private static boolean isWithin(Library library, Map<?, ?> range) {
        MavenVersion own = MavenVersion.of(library.version());
        List<Event> events = new ArrayList<>();
        maps(range.get("events")).forEach(event -> Event.of(event).forEach(events::add));
        boolean isVulnerable = false;
        for (Event event : new TreeSet<>(events)) {
            if (event.hasHappened(own)) {
                isVulnerable = event.isIntroduced();
            }
        }
        return isVulnerable;
    }

    /**
     * Something that a version brought.
     *
     * @param kind {@code introduced}, {@code fixed} or {@code last_affected}
     */
    private record Event(String kind, MavenVersion version) implements Comparable<Event> {
        private static final List<String> KINDS = List.of("introduced", "last_affected", "fixed");
        private static final Comparator<Event> ORDER =
                Comparator.comparing(Event::version).thenComparingInt(event -> KINDS.indexOf(event.kind));

        static Stream<Event> of(Map<?, ?> event) {
            return KINDS.stream()
                    .filter(kind -> event.get(kind) != null)
                    .map(kind -> new Event(kind, MavenVersion.of(String.valueOf(event.get(kind)))));
        }

        boolean isIntroduced() {
            return kind.equals(KINDS.getFirst());
        }

        /** Whether it is over in this version; with the last one that is affected, it is not yet. */
        boolean hasHappened(MavenVersion own) {
            int order = version.compareTo(own);
            return kind.equals("last_affected") ? order < 0 : order <= 0;
        }

        @Override
        public int compareTo(Event other) {
            return ORDER.compare(this, other);
        }
    }

    private static Stream<String> texts(@Nullable Object list) {
        return list instanceof List<?> texts ? texts.stream().map(String::valueOf) : Stream.empty();
    }

    private static Stream<Map<?, ?>> maps(@Nullable Object list) {
        return list instanceof List<?> maps
                ? maps.stream().filter(Map.class::isInstance).<Map<?, ?>>map(map -> (Map<?, ?>) map)
                : Stream.empty();
    }
}
