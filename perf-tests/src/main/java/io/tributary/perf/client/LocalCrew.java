package io.tributary.perf.client;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.judge.GroupMember;
import io.tributary.perf.judge.Ledger;
import io.tributary.perf.judge.Receiver;
import io.tributary.perf.judge.SharedLedger;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.judge.SourceCounts;
import io.tributary.perf.machine.Usage;
import io.tributary.perf.scenario.Group;
import io.tributary.perf.scenario.Plan;
import io.tributary.perf.scenario.PlannedClient;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.Share;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The clients of this process, on as many event loops as the scenario says; each client belongs to one. */
public final class LocalCrew implements Crew {
    private static final long ANSWER_SECONDS = 60;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Plan plan;
    private final Share share;
    private final EventLoopGroup eventLoops;
    private final List<LoadLoop> loops = new ArrayList<>();
    private final List<LoadClient> clients = new ArrayList<>();
    private final List<Ledger> ledgers = new ArrayList<>();
    private final Map<String, SharedLedger> shared = new HashMap<>();

    /**
     * Makes the clients of a share; none connects yet.
     *
     * @param addresses of the brokers; clients take them in turn
     */
    public LocalCrew(Plan plan, Share share, List<InetSocketAddress> addresses, RunClock clock) {
        this.plan = plan;
        this.share = share;
        Scenario scenario = plan.scenario();
        SocketLayer sockets = SocketLayer.best();
        Audience audience = new Audience(plan.fanOut());
        Credits credits = new Credits(plan.sources());
        eventLoops = new MultiThreadIoEventLoopGroup(
                scenario.threads(), new DefaultThreadFactory("perf-loop", true), sockets.handlers());
        for (int i = 0; i < scenario.threads(); i++) {
            EventLoop loop = eventLoops.next();
            Random random = new Random(plan.run() * 31L + share.runner() * 7L + i);
            loops.add(new LoadLoop(loop, plan, clock, audience, credits, random));
        }
        loops.forEach(LoadLoop::begin);
        Dialer dialer = new Dialer(scenario.mqtt(), scenario.connect(), sockets, addresses);
        for (Group group : scenario.groups()) {
            for (PlannedClient planned : plan.clients(group)) {
                // By the number in the group, so that the two of a pair share a loop.
                LoadLoop loop = loops.get(planned.index() / share.runners() % loops.size());
                clients.add(create(planned, loop, dialer));
            }
        }
    }

    private LoadClient create(PlannedClient planned, LoadLoop loop, Dialer dialer) {
        if (!planned.group().subscribes()) {
            return new LoadClient(planned, loop, dialer, null);
        }
        String sharedName = Plan.sharedName(planned.group());
        Receiver judge;
        if (sharedName == null) {
            Ledger ledger = new Ledger();
            ledgers.add(ledger);
            judge = ledger;
        } else {
            String key = planned.group().name() + "/" + sharedName;
            judge = new GroupMember(shared.computeIfAbsent(key, _ -> new SharedLedger()));
        }
        return new LoadClient(planned, loop, dialer, judge);
    }

    @Override
    public void connect(List<String> groups) {
        List<LoadClient> subscribers = clients(groups).stream()
                .filter(client -> client.planned().group().subscribes())
                .toList();
        List<LoadClient> others = clients(groups).stream()
                .filter(client -> !client.planned().group().subscribes())
                .toList();
        ConnectRamp ramp = ramp();
        ramp.go(subscribers, LoadClient::connect);
        ramp.go(others, LoadClient::connect);
    }

    @Override
    public void visit(List<String> groups) {
        ramp().go(clients(groups), LoadClient::visit);
    }

    private ConnectRamp ramp() {
        return new ConnectRamp(plan.scenario().connect(), share.runners());
    }

    @Override
    public void disconnect(List<String> groups, boolean abruptly) {
        onLoops(groups, abruptly ? LoadClient::drop : LoadClient::disconnect);
    }

    @Override
    public void measure(boolean isMeasured) {
        loops.forEach(loop -> get(loop.eventLoop().submit(() -> loop.measure(isMeasured))));
    }

    @Override
    public void begin(List<String> groups, int messages) {
        onLoops(groups, client -> client.begin(messages));
    }

    @Override
    public void stall(List<String> groups, boolean stalled) {
        onLoops(groups, client -> client.stall(stalled));
    }

    @Override
    public void end(List<String> groups) {
        onLoops(groups, LoadClient::end);
    }

    @Override
    public boolean isDone(List<String> groups) {
        boolean done = true;
        for (LoadLoop loop : loops) {
            List<LoadClient> mine = clientsOf(loop, groups);
            done &= on(loop, () -> mine.stream().allMatch(LoadClient::isDone));
        }
        return done;
    }

    @Override
    public void endSessions() {
        ramp().go(clients(List.of()), LoadClient::endSession);
    }

    @Override
    public Counts counts() {
        Counts sum = Counts.NONE;
        for (Future<Counts> part : loops.stream().map(LoadLoop::counts).toList()) {
            sum = sum.plus(get(part));
        }
        return sum;
    }

    @Override
    public Snapshot snapshot() {
        Snapshot sum = Snapshot.NONE;
        for (Future<Snapshot> part : loops.stream().map(LoadLoop::snapshot).toList()) {
            sum = sum.plus(get(part));
        }
        return sum;
    }

    @Override
    public SourceCounts sources() {
        SourceCounts counts = new SourceCounts(plan.sources());
        onLoops(List.of(), client -> {
            synchronized (counts) {
                client.addTo(counts);
            }
        });
        // Ledgers are read behind the loops' backs, yet after all they did: the calls above went through each of them.
        ledgers.forEach(ledger -> ledger.addTo(counts));
        shared.values().forEach(ledger -> ledger.addTo(counts));
        return counts;
    }

    @Override
    public List<Own> own() {
        List<Long> cpu = loops.stream()
                .map(loop -> THREADS.getThreadCpuTime(loop.thread().threadId()))
                .toList();
        return List.of(new Own(Usage.of(ProcessHandle.current().pid()), cpu));
    }

    @Override
    public void close() {
        onLoops(List.of(), LoadClient::drop);
        eventLoops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    private List<LoadClient> clients(List<String> groups) {
        return clients.stream()
                .filter(client -> groups.isEmpty()
                        || groups.contains(client.planned().group().name()))
                .toList();
    }

    private List<LoadClient> clientsOf(LoadLoop loop, List<String> groups) {
        return clients(groups).stream().filter(client -> client.loop() == loop).toList();
    }

    private void onLoops(List<String> groups, Consumer<LoadClient> action) {
        List<Future<?>> all = new ArrayList<>();
        for (LoadLoop loop : loops) {
            List<LoadClient> mine = clientsOf(loop, groups);
            all.add(loop.eventLoop().submit(() -> mine.forEach(action)));
        }
        all.forEach(LocalCrew::get);
    }

    private static <T> T on(LoadLoop loop, Callable<T> question) {
        return get(loop.eventLoop().submit(question));
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CrewException("an event loop of the tool failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new CrewException("an event loop of the tool has not answered for " + ANSWER_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CrewException("interrupted", e);
        }
    }
}
