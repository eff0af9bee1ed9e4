/** How the sources and documents are built: arrows between packages, words and their homes, the width of lines. */
@NullMarked
package io.tributary.server.structure;

import org.jspecify.annotations.NullMarked;
