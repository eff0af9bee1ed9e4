/** What the broker does when clients mean it ill, or are broken: who pays for it, and how much. */
@NullMarked
package io.tributary.server.blackbox.hostile;

import org.jspecify.annotations.NullMarked;
