/** What the application that embeds a broker has in it: its subscriptions. */
@NullMarked
package io.tributary.broker.embedded;

import org.jspecify.annotations.NullMarked;
