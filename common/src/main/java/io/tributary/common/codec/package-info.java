/** The MQTT codec: wire bytes to packets and back; limits are checked before anything is allocated. */
@NullMarked
package io.tributary.common.codec;

import org.jspecify.annotations.NullMarked;
