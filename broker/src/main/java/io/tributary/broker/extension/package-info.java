/** What a platform that embeds the broker can hang into it besides security: interceptors and listeners. */
@NullMarked
package io.tributary.broker.extension;

import org.jspecify.annotations.NullMarked;
