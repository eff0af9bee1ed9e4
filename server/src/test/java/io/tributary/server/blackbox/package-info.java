/**
 * The broker as its users meet it: a process of its own, with clients that others wrote, killed and maltreated.
 *
 * <p>The long forms, from the top of the tree:
 *
 * <pre>
 * ./tributary test -pl server -am -Dtest=CrashTest -Dcrash.rounds=25 -Dcrash.messages=20000
 * ./tributary test -pl server -am -Dtest=HostileInputTest -Dhostile.scale=full
 * ./tributary test -pl server -am -Dtest=FaultsTest -Dfaults.count=200 -Dfaults.kafka=3 -Dfaults.replicas=1 \
 *     -Dsurefire.timeout=0
 * </pre>
 *
 * <p>They write what they measured to {@code broker/target/blackbox}.
 */
@NullMarked
package io.tributary.server.blackbox;

import org.jspecify.annotations.NullMarked;
