package io.tributary.perf.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tributary.perf.client.Crew;
import io.tributary.perf.scenario.PlannedRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The orchestrator's side of runners: waits for as many as there are to be, and gives each, for each run, the time and
 * its share of the clients. For one thread.
 */
public final class Runners implements AutoCloseable {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int GREETING_MILLIS = 10_000;

    private final ServerSocket server;
    private final Secret secret;
    private final List<RemoteRunner> runners = new ArrayList<>();

    /** Listens for runners; port 0 for any that is free. */
    public Runners(InetSocketAddress address, Secret secret) {
        this.secret = secret;
        try {
            server = new ServerSocket();
            server.bind(address);
        } catch (IOException e) {
            throw new RunException("runners cannot be waited for on " + address + ": " + e.getMessage(), e);
        }
    }

    /** Where runners connect to. */
    public int port() {
        return server.getLocalPort();
    }

    /**
     * Waits until so many runners have connected; whoever does not know the secret is turned away.
     *
     * @param err is told for how many it waits
     */
    public void await(int count, Duration limit, PrintWriter err) {
        int told = -1;
        long deadline = System.nanoTime() + limit.toNanos();
        while (present() < count) {
            if (told != runners.size()) {
                told = runners.size();
                err.println("Waiting at " + server.getLocalSocketAddress() + " for " + (count - told) + " of " + count
                        + " runners ...");
            }
            long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (left <= 0) {
                throw new RunException(
                        "only " + runners.size() + " of " + count + " runners came within " + limit.toSeconds() + " s");
            }
            accept((int) left);
        }
    }

    /** Those that have gone may be started again. */
    private int present() {
        runners.removeIf(RemoteRunner::isGone);
        return runners.size();
    }

    private void accept(int limitMillis) {
        try {
            server.setSoTimeout(limitMillis);
            Socket socket = server.accept();
            socket.setSoTimeout(GREETING_MILLIS);
            Frames frames = new Frames(socket);
            try {
                secret.accept(frames);
                socket.setSoTimeout(0);
                runners.add(new RemoteRunner(frames, "runner " + (runners.size() + 1)));
            } catch (IOException e) {
                frames.close();
            }
        } catch (IOException e) {
            // Nobody came; await() says so when the time is over.
        }
    }

    /** Whether one of those that were waited for has gone. */
    public boolean isAnyGone() {
        return runners.stream().anyMatch(RemoteRunner::isGone);
    }

    /** How far the clocks of two runners may be apart by now, since {@link #crew} set them. */
    double clockErrorMillis() {
        long largest =
                runners.stream().mapToLong(RemoteRunner::clockErrorNanos).max().orElse(0);
        return 2 * largest / NANOS_PER_MILLI;
    }

    /** Sets the clock of each runner, and has it make its share of the clients. */
    Crew crew(PlannedRun planned, int run, List<InetSocketAddress> addresses) {
        runners.forEach(RemoteRunner::setClock);
        ArrayNode places = Frames.MAPPER.createArrayNode();
        addresses.forEach(address -> places.add(Wire.address(address)));
        List<CompletableFuture<JsonNode>> made = new ArrayList<>();
        for (int i = 0; i < runners.size(); i++) {
            ObjectNode details = Frames.message()
                    .put("scenario", planned.text())
                    .put("run", run)
                    .put("runner", i)
                    .put("runners", runners.size());
            details.set("addresses", places);
            made.add(runners.get(i).ask("plan", details));
        }
        made.forEach(RemoteRunner::answerTo);
        return new RemoteCrew(runners);
    }

    @Override
    public void close() {
        runners.forEach(RemoteRunner::close);
        try {
            server.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
