package io.tributary.server.blackbox.load;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.BooleanSupplier;
import org.awaitility.core.ConditionTimeoutException;

/** All clients of a run, each on a thread of its own. One thread at a time. */
public final class LoadClients implements AutoCloseable {
    private final LoadContext scene;
    private final List<LoadPublisher> publishers = new ArrayList<>();
    private final List<LoadSubscriber> subscribers = new ArrayList<>();
    private final List<ClientWithWill> mortals = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Nobody yet. */
    public LoadClients(LoadContext scene) {
        this.scene = scene;
    }

    /** Adds a publisher, before {@link #begin}. */
    public void add(LoadPublisher publisher) {
        publishers.add(publisher);
    }

    /** Adds a subscriber, before {@link #begin}. */
    public void add(LoadSubscriber subscriber) {
        subscribers.add(subscriber);
    }

    /** Adds a client with a will, before {@link #begin}. */
    public void add(ClientWithWill mortal) {
        mortals.add(mortal);
    }

    public List<LoadPublisher> publishers() {
        return publishers;
    }

    public List<LoadSubscriber> subscribers() {
        return subscribers;
    }

    public List<ClientWithWill> mortals() {
        return mortals;
    }

    /** Starts all: the publishers once the subscribers are there. */
    public void begin(Duration patience) {
        subscribers.forEach(this::start);
        awaitUnlessBroken(
                "all subscribers connect", patience, () -> subscribers.stream().allMatch(LoadSubscriber::isOnline));
        mortals.forEach(this::start);
        publishers.forEach(this::start);
    }

    /** Waits until those subscribers that were sent away are gone. */
    public void awaitAway(Duration patience) {
        awaitUnlessBroken(
                "who is sent away goes",
                patience,
                () -> subscribers.stream().noneMatch(subscriber -> subscriber.isAway() && subscriber.isOnline()));
    }

    /** Has all clients with wills take their leave, and waits until they are back; while the broker is well. */
    public void leaveAndReturn(Duration patience) {
        awaitUnlessBroken(
                "clients with wills are back", patience, () -> mortals.stream().allMatch(ClientWithWill::isOnline));
        mortals.forEach(ClientWithWill::leave);
        awaitUnlessBroken(
                "clients with wills are back", patience, () -> mortals.stream().allMatch(ClientWithWill::isOnline));
    }

    /**
     * Waits until all publishers are done, all subscribers that are not away have everything, and each client that died
     * has had its will; or until something is wrong.
     */
    public void awaitQuiet(Duration patience) {
        awaitUnlessBroken(
                "all publishers are done", patience, () -> publishers.stream().allMatch(LoadPublisher::isIdle));
        // What a member of the group has begun stays with it when it goes away.
        for (String receiver : scene.judge().receivers()) {
            awaitUnlessBroken(
                    "nothing is missing at " + receiver,
                    patience,
                    () -> isAnyAway(receiver) || scene.judge().missing(receiver) == 0);
        }
        awaitUnlessBroken(
                "each broken connection had its will",
                patience,
                () -> scene.wills().unsettled().isEmpty());
    }

    /** The judgement over all, after {@link #awaitQuiet} with everybody there: what went against the promises. */
    public List<String> verdict() {
        scene.judge().checkNothingLost();
        scene.wills().check();
        return scene.judge().violations();
    }

    private void awaitUnlessBroken(String what, Duration patience, BooleanSupplier condition) {
        try {
            await(what).atMost(patience).until(() -> !scene.judge().violations().isEmpty() || condition.getAsBoolean());
        } catch (ConditionTimeoutException timeout) {
            scene.judge().violation("waited " + patience + " in vain: " + what + "; " + state());
        }
    }

    private String state() {
        StringJoiner state = new StringJoiner(", ");
        for (LoadPublisher publisher : publishers) {
            if (!publisher.isIdle()) {
                state.add(publisher + " is busy");
            }
        }
        for (LoadSubscriber subscriber : subscribers) {
            state.add(
                    subscriber + (subscriber.isOnline() ? " is online" : subscriber.isAway() ? " is away" : " tries"));
        }
        for (String receiver : scene.judge().receivers()) {
            state.add(receiver + " misses " + scene.judge().missing(receiver));
        }
        scene.wills().unsettled().forEach(state::add);
        return state.toString();
    }

    private boolean isAnyAway(String receiver) {
        return subscribers.stream()
                .anyMatch(subscriber -> subscriber.receiver().equals(receiver) && subscriber.isAway());
    }

    private void start(Runnable client) {
        threads.add(Thread.ofVirtual().start(client));
    }

    /** Ends all clients and waits until they are gone. */
    @Override
    public void close() {
        scene.rounds().end();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
