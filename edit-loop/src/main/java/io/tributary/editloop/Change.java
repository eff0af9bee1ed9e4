package io.tributary.editloop;

import java.util.Set;

/**
 * Classes whose surface is another than before.
 *
 * @param classes their names, as in class files
 * @param words their simple names, which a source contains that uses one of them without a trace in its class file: it
 *     has a constant's value, or an import alone
 * @param hierarchy whether one of them extends or permits something else, or has other type parameters. That can decide
 *     how a source is compiled which names none of them, so everything is compiled.
 */
record Change(Set<String> classes, Set<String> words, boolean hierarchy) {
    boolean isNone() {
        return classes.isEmpty();
    }
}
