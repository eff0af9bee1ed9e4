/**
 * What every adapter of a port must do, as abstract tests: an adapter's own test supplies the instance and inherits.
 */
@NullMarked
package io.tributary.persistence.contract;

import org.jspecify.annotations.NullMarked;
