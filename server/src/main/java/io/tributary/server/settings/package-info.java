/**
 * The settings under {@code tributary.}: their names, defaults and ranges, and what they become in the broker's core.
 */
@NullMarked
package io.tributary.server.settings;

import org.jspecify.annotations.NullMarked;
