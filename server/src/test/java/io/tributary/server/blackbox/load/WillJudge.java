package io.tributary.server.blackbox.load;

import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds the wills that subscribers saw against how the connections ended: one for each that broke, none where the
 * client took its leave, never two. Each connection of a client with a will is a life of it, and says so in the will. A
 * will at QoS 2 comes once; at QoS 1 a subscriber may get a copy again as it may of any message. Thread-safe.
 */
public final class WillJudge {
    private final Judge judge;
    private final List<Client> clients = new ArrayList<>();
    private final Map<String, List<FirstCopies>> watchers = new LinkedHashMap<>();

    /** How a life ended, if it did. */
    private enum Life {
        /** CONNECT may have been sent; nobody knows whether it arrived, so a will is neither owed nor wrong. */
        UNSURE,
        OPEN,
        LEFT,
        DIED
    }

    private static final class Client {
        private final QoS qos;
        private final List<Life> lives = new ArrayList<>();

        Client(QoS qos) {
            this.qos = qos;
        }
    }

    WillJudge(Judge judge) {
        this.judge = judge;
    }

    /** Makes a client known, whose number it gives. */
    synchronized int addClient(QoS qos) {
        clients.add(new Client(qos));
        watchers.values().forEach(copies -> copies.add(new FirstCopies()));
        return clients.size() - 1;
    }

    /** Makes a persistent subscriber to all wills known. */
    synchronized void addWatcher(String name) {
        List<FirstCopies> copies = new ArrayList<>();
        clients.forEach(client -> copies.add(new FirstCopies()));
        watchers.put(name, copies);
    }

    /** Makes a will known that is never to come, and gives what goes into it. */
    synchronized Payload addImpossible() {
        Payload life = begin(addClient(QoS.EXACTLY_ONCE));
        left(life);
        return life;
    }

    /** The client is about to connect; what is given goes into its will. */
    synchronized Payload begin(int client) {
        List<Life> lives = clients.get(client).lives;
        lives.add(Life.UNSURE);
        return new Payload(client, lives.size() - 1);
    }

    /** The broker accepted the connection. */
    synchronized void opened(Payload life) {
        set(life, Life.OPEN);
    }

    /** The client sent DISCONNECT, and the broker, which was well, closed the connection. */
    synchronized void left(Payload life) {
        set(life, Life.LEFT);
    }

    /** The connection broke, if there was one. */
    synchronized void ended(Payload life) {
        if (get(life) == Life.OPEN) {
            set(life, Life.DIED);
        }
    }

    /** Nobody can tell whether the broker saw a DISCONNECT before the connection ended. */
    synchronized void unsure(Payload life) {
        set(life, Life.UNSURE);
    }

    /** A watcher got a will. */
    synchronized void seen(String watcher, Payload will, QoS qos, boolean dup, int connection) {
        if (will.publisher() >= clients.size()
                || will.number() >= clients.get(will.publisher()).lives.size()) {
            judge.violation(watcher + " got the will " + will + ", which nobody made");
            return;
        }
        FirstCopies copies = copiesOf(watcher).get(will.publisher());
        if (!copies.has(will.number())) {
            copies.add(will.number(), connection, judge.faults());
        } else if (qos == QoS.EXACTLY_ONCE
                || clients.get(will.publisher()).qos == QoS.EXACTLY_ONCE
                || !copies.mayComeAgain(will.number(), dup, connection, judge.faults())) {
            judge.violation(watcher + " got the will " + will + " twice at " + qos + ", dup " + dup
                    + ", on connections " + copies.connection(will.number()) + " and " + connection);
        }
    }

    /** Whether the connection broke. */
    synchronized boolean isDead(Payload life) {
        return get(life) == Life.DIED;
    }

    /** Whether every watcher saw the will of this life. */
    synchronized boolean isSeen(Payload life) {
        return watchers.values().stream()
                .allMatch(copies -> copies.get(life.publisher()).has(life.number()));
    }

    /** In words: broken connections whose will a watcher has not seen yet, and open ones whose will one has seen. */
    public synchronized List<String> unsettled() {
        List<String> unsettled = new ArrayList<>();
        watchers.forEach((watcher, copies) -> {
            for (int client = 0; client < clients.size(); client++) {
                List<Life> lives = clients.get(client).lives;
                for (int life = 0; life < lives.size(); life++) {
                    boolean seen = copies.get(client).has(life);
                    if (lives.get(life) == Life.DIED && !seen) {
                        unsettled.add(watcher + " has not got the will " + new Payload(client, life));
                    } else if (lives.get(life) == Life.OPEN && seen) {
                        unsettled.add(
                                watcher + " got the will " + new Payload(client, life) + " of an open connection");
                    }
                }
            }
        });
        return unsettled;
    }

    /** At the end: nothing is unsettled, and no will came before its client took its leave. */
    public synchronized void check() {
        unsettled().forEach(judge::violation);
        watchers.forEach((watcher, copies) -> {
            for (int client = 0; client < clients.size(); client++) {
                List<Life> lives = clients.get(client).lives;
                for (int life = 0; life < lives.size(); life++) {
                    if (lives.get(life) == Life.LEFT && copies.get(client).has(life)) {
                        judge.violation(watcher + " got the will " + new Payload(client, life)
                                + " of a client that took its leave");
                    }
                }
            }
        });
    }

    /** How many connections broke so far. */
    public synchronized long deaths() {
        return clients.stream()
                .flatMap(client -> client.lives.stream())
                .filter(life -> life == Life.DIED)
                .count();
    }

    private Life get(Payload life) {
        return clients.get(life.publisher()).lives.get(life.number());
    }

    private void set(Payload life, Life state) {
        clients.get(life.publisher()).lives.set(life.number(), state);
    }

    private List<FirstCopies> copiesOf(String watcher) {
        List<FirstCopies> copies = watchers.get(watcher);
        if (copies == null) {
            throw new IllegalArgumentException("unknown watcher " + watcher);
        }
        return copies;
    }
}
