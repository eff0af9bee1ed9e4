/** The words of MQTT: packets, quality of service, reason codes and messages, as immutable values. */
@NullMarked
package io.tributary.common.mqtt;

import org.jspecify.annotations.NullMarked;
