package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;

/** P4: a client has one session, which lasts as long as it was asked to, and one connection. */
final class OneSession implements Ledger.Promise {

    @Override
    public void connected(SimClient client, Attached answer, boolean mayHaveEnded) {
        if (!answer.sessionPresent() && client.session() >= 0 && !mayHaveEnded) {
            throw new Violation("the session of " + client.name + " is gone: " + answer);
        }
        if (answer.sessionPresent() && answer.session() != client.session() && !mayHaveEnded) {
            throw new Violation(client.name + " has another session: " + answer);
        }
    }

    @Override
    public void attached(SimConnection connection, Attached answer) {
        if (answer.sessionPresent() && connection.connect().cleanStart()) {
            throw new Violation("a clean start found a session");
        }
    }

    @Override
    public void settled(SimWorld world) {
        for (SimClient client : world.clients()) {
            long open = world.front.connections().stream()
                    .filter(connection -> connection.client() == client && connection.isOpen())
                    .count();
            if (open != 1) {
                throw new Violation(client.name + " has " + open + " connections");
            }
        }
    }
}
