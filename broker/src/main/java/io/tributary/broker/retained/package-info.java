/** Retained messages: kept by topic, and sent to new subscriptions. */
@NullMarked
package io.tributary.broker.retained;

import org.jspecify.annotations.NullMarked;
