package io.tributary.broker.shard;

import io.tributary.broker.shard.GroupLedger.Hold;
import io.tributary.broker.shard.SimHosts.Host;

/**
 * A host hands a message to no member while another one has it, as far as the host can know; and one that leaves in
 * good order has none out when the next host begins.
 */
final class OneMemberAtATime implements GroupLedger.Promise {
    @Override
    public void handed(SimGroups world, Hold hold) {
        for (Hold other : world.ledger.holds()) {
            if (other.id == hold.id && other.host.equals(hold.host) && !other.isForgotten) {
                throw new Violation("message " + hold.id + " is with " + other.member.clientId() + " and handed to "
                        + hold.member.clientId());
            }
        }
    }

    @Override
    public void leaves(SimGroups world, Host host) {
        for (Hold hold : world.ledger.holds()) {
            if (hold.host.equals(host) && !hold.isForgotten) {
                throw new Violation(host + " leaves while " + hold.member.clientId() + " has message " + hold.id);
            }
        }
    }
}
