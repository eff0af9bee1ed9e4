/** The topics of application clients, of their own or shared: how they are written, read and cleaned. */
@NullMarked
package io.tributary.cluster.kafka.app;

import org.jspecify.annotations.NullMarked;
