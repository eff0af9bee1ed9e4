package io.tributary.broker.shard;

import java.util.Set;

/** A host of a group to which all is acknowledged remembers no message; and nothing is left of a group that is over. */
final class GroupMemoryIsReturned implements GroupLedger.Promise {
    private static final Set<String> PARTS = Set.of(
            "GroupHosts",
            "HostInbox",
            "GroupHost",
            "GroupSession",
            "MemberDispatch",
            "DeadLetters",
            "InHand",
            "Member");

    @Override
    public void settled(SimGroups world) {
        check(world, Set.of("byName", "byClient", "inboxes"));
    }

    @Override
    public void ended(SimGroups world) {
        check(world, Set.of());
        if (!world.ledger.holds().isEmpty()) {
            throw new Violation("members have messages still");
        }
    }

    private static void check(SimGroups world, Set<String> kept) {
        world.all().forEach(hosts -> MemoryIsReturned.check(hosts.groups, kept, PARTS));
    }
}
