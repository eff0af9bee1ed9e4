package io.tributary.server.blackbox.walk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A way as docs/architecture.md describes it. {@code **Name of the hop**} stands above the numbered steps of each hop,
 * and a step begins with the classes it is about: "3. `broker/connection/Session`, `broker/connection/ConnectedState` -
 * what they do".
 */
public final class WalkDocument {
    private static final Pattern HOP = Pattern.compile("\\*\\*([^*]+)\\*\\*.*");
    private static final Pattern STEP = Pattern.compile("\\d+\\. (.*?) - .*");
    private static final Pattern CLASS = Pattern.compile("`([\\w/]+)`");

    private WalkDocument() {}

    /** The classes of a section by hop, in their order. */
    public static Map<String, List<String>> read(String section) throws IOException {
        String text = Files.readString(Path.of("..", "docs", "architecture.md"));
        int begin = text.indexOf("\n## " + section + "\n");
        if (begin < 0) {
            throw new IllegalStateException("no section " + section);
        }
        int end = text.indexOf("\n## ", begin + 1);
        Map<String, List<String>> way = new LinkedHashMap<>();
        List<String> hop = new ArrayList<>(); // before the first hop there is no step
        String joined = text.substring(begin, end < 0 ? text.length() : end).replace("\n   ", " ");
        for (String line : joined.split("\n", -1)) {
            Matcher title = HOP.matcher(line);
            Matcher step = STEP.matcher(line);
            if (title.matches()) {
                hop = new ArrayList<>();
                way.put(title.group(1), hop);
            } else if (step.matches()) {
                CLASS.matcher(step.group(1))
                        .results()
                        .map(found -> found.group(1))
                        .forEach(hop::add);
            }
        }
        return way;
    }
}
