/** The way back: records that back-ends produce become messages that are published. */
@NullMarked
package io.tributary.cluster.ingest;

import org.jspecify.annotations.NullMarked;
