/** The way back: records that back-ends produce for the broker's subscribers, as the broker reads them. */
@NullMarked
package io.tributary.persistence.ingest;

import org.jspecify.annotations.NullMarked;
