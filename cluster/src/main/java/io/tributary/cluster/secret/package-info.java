/** Secrets in files, which may change while the node runs. */
@NullMarked
package io.tributary.cluster.secret;

import org.jspecify.annotations.NullMarked;
