/**
 * A whole cluster on one machine, made of real parts that run as processes of their own: Kafka, Redis Cluster and
 * broker nodes. Tests use it to have servers that they can kill; people to try Tributary out. Not for production.
 */
@NullMarked
package io.tributary.localcluster;

import org.jspecify.annotations.NullMarked;
