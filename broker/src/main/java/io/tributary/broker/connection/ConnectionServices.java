package io.tributary.broker.connection;

import io.tributary.broker.guard.Guard;
import io.tributary.broker.tenant.TenantRecorder;
import io.tributary.broker.tenant.Tenants;
import java.time.InstantSource;

/**
 * The services that all clients' connections of a node share.
 *
 * @param node the name of this node, to which shards' owners send their answers
 * @param backend the parts of the node that connections call
 * @param access which clients may connect, and what each may do
 * @param extensions what the embedding platform hangs in
 * @param recorder counts what happens
 * @param guard who connects too often, or is banned
 * @param tenants what tenants may use, and use
 * @param clock the time by which messages expire, the same on all nodes
 */
public record ConnectionServices(
        String node,
        Backend backend,
        AccessControl access,
        Extensions extensions,
        ClientRecorder recorder,
        Guard guard,
        Tenants tenants,
        InstantSource clock) {

    /** Services that let everybody connect as often as they like, and limit no tenant. */
    public ConnectionServices(
            String node,
            Backend backend,
            AccessControl access,
            Extensions extensions,
            ClientRecorder recorder,
            InstantSource clock) {
        this(node, backend, access, extensions, recorder, Guard.lenient(), new Tenants(TenantRecorder.NONE), clock);
    }
}
