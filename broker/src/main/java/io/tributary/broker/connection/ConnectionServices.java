package io.tributary.broker.connection;

import java.time.InstantSource;

/**
 * What all sessions of a node share.
 *
 * @param node the name of this node, which owners answer to
 * @param backend the parts of the node that they call
 * @param access who may connect, and do what
 * @param extensions what the embedding platform hangs in
 * @param recorder counts what happens
 * @param clock the time by which messages expire, the same on all nodes
 */
public record ConnectionServices(
        String node,
        Backend backend,
        AccessControl access,
        Extensions extensions,
        ClientRecorder recorder,
        InstantSource clock) {}
