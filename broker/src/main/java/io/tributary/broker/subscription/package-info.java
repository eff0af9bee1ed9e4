/**
 * Who subscribes to what: the registry of all subscriptions, the trie that matches topics, and shared subscriptions.
 */
@NullMarked
package io.tributary.broker.subscription;

import org.jspecify.annotations.NullMarked;
