/**
 * The broker as its users meet it: a process of its own, with clients that others wrote, killed and maltreated.
 *
 * <p>The long forms, from the top of the tree:
 *
 * <pre>
 * ./tributary test CrashTest -Dcrash.rounds=25 -Dcrash.messages=20000
 * ./tributary test HostileInputTest -Dhostile.scale=full
 * ./tributary test FaultsTest -Dfaults.count=200 -Dfaults.kafka=3 -Dfaults.replicas=1
 * </pre>
 *
 * <p>They write what they measured to {@code server/target/blackbox}.
 */
@NullMarked
package io.tributary.server.blackbox;

import org.jspecify.annotations.NullMarked;
