package io.tributary.broker.session;

import java.time.InstantSource;

/**
 * What all sessions of a node share.
 *
 * @param node the name of this node, which owners answer to
 * @param backend what stands behind the sessions: shards, router, subscriptions, retained messages
 * @param access who may connect, and do what
 * @param extensions what the embedding platform hangs in
 * @param sessions where sessions are found by those who deliver to them
 * @param recorder counts what happens
 * @param clock the time by which messages expire, the same on all nodes
 */
public record SessionServices(
        String node,
        SessionBackend backend,
        AccessControl access,
        Extensions extensions,
        LocalSessions sessions,
        SessionRecorder recorder,
        InstantSource clock) {}
