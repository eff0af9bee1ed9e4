package io.tributary.cluster.link;

import java.nio.charset.StandardCharsets;

/**
 * One incarnation of a node, from when it joins until it has left or is dead; within one process of the operating
 * system there may be several, one after the other.
 *
 * @param name the name of the node, which no other node of the cluster has: 1 to {@value #MAX_NAME_BYTES} bytes of
 *     printable characters without a #
 * @param incarnation which one of this name: a newer one has a larger number; not negative
 */
public record NodeId(String name, long incarnation) {
    /** How long a name may be, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 200;

    public NodeId {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "node name: must have 1 to " + MAX_NAME_BYTES + " printable characters, and no # among them");
        }
        if (incarnation < 0) {
            throw new IllegalArgumentException("incarnation " + incarnation + ": must not be negative");
        }
    }

    /** The name and the incarnation with a # between, as logs and records name it. */
    @Override
    public String toString() {
        return name + "#" + incarnation;
    }

    /** Whether a text can name a node or a cluster: what anybody may send must not forge lines of our log. */
    public static boolean isName(String text) {
        return !text.isEmpty()
                && text.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES
                && text.codePoints().noneMatch(NodeId::isForbidden);
    }

    private static boolean isForbidden(int codePoint) {
        return codePoint == '#'
                || switch (Character.getType(codePoint)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR,
                            Character.SURROGATE,
                            Character.UNASSIGNED -> true;
                    default -> false;
                };
    }
}
