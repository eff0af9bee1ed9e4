package io.tributary.broker.connection;

import io.tributary.broker.retained.RetainedMessages;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.shard.AppendCallback;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Sends the retained messages that new subscriptions match [MQTT-3.3.1-9], a page at a time and as fast as the client
 * takes them. A message of QoS 1 or 2 for a persistent session goes through the shard's log like any other message, as
 * it needs a sequence number; no more of them than a page, and waiting while the logs have no room: a retained message
 * costs its subscribers nothing, and one SUBSCRIBE may bring all there are. Confined to the event loop.
 *
 * <p>A node that is behind the other nodes waits until it is current: the others may have stored a message without
 * waiting for this node, and matched the message before they knew of the subscription.
 */
final class RetainedReplay {
    private static final int PAGE = 50;

    /** A page is over with as many bytes, or more; and so many may be on their way into the log, and one message. */
    static final long PAGE_BYTES = 1 << 20;

    /**
     * A subscription that brings its retained messages.
     *
     * @param subscriptionId its identifier, or 0 for none
     * @param exceptFrom the publisher whose messages are left out, or null
     */
    record Request(
            TopicFilter filter,
            QoS qos,
            int subscriptionId,
            @Nullable String exceptFrom) {

        /** The same with a maximum quality of service that is no higher. */
        Request atMost(QoS limit) {
            return new Request(filter, qos.min(limit), subscriptionId, exceptFrom);
        }
    }

    private final ConnectionContext context;
    private final Identity identity;
    private final OutboundFlow outbound;
    /** As many as the client has subscriptions, at most. */
    private final LinkedHashMap<TopicFilter, Request> requests = new LinkedHashMap<>();

    private Iterator<Message> page = Collections.emptyIterator();

    /** Where the next page of the first request begins, or null for its first page. */
    private @Nullable String next;

    /** Whether this node knew all retained messages when the first request began. */
    private boolean begun;

    private Runnable stopWaiting = () -> {};
    private boolean isLastPage;
    private @Nullable Message upcoming;
    /** How many messages are on their way into the log, and their bytes. */
    private int appending;

    private long appendingBytes;
    /** Until this node is current, the logs have room, or it is this connection's turn again. */
    private boolean resuming;

    private boolean closed;

    RetainedReplay(ConnectionContext context, Identity identity, OutboundFlow outbound) {
        this.context = context;
        this.identity = identity;
        this.outbound = outbound;
    }

    /** Adds a subscription, which brings all once more if it was there; {@link #proceed} is to follow. */
    void add(Request request) {
        forget(List.of(request.filter()));
        requests.put(request.filter(), request);
    }

    /** The subscriptions with these filters are gone: they bring nothing more. {@link #proceed} is to follow. */
    void forget(List<TopicFilter> filters) {
        Request first = first();
        if (first == null) {
            return;
        }
        filters.forEach(requests::remove);
        if (!requests.containsKey(first.filter())) {
            page = Collections.emptyIterator();
            upcoming = null;
            beginNext();
        }
    }

    /**
     * The subscription with this filter is another now, and does not begin anew: it brings the rest as it is now
     * [MQTT-3.8.4-3]. {@link #proceed} is to follow.
     */
    void change(TopicFilter filter, UnaryOperator<Request> change) {
        requests.computeIfPresent(filter, (_, rest) -> change.apply(rest));
    }

    /** Sends what there is room for; called whenever there may be some. Looks at one page at most. */
    void proceed() {
        Request request = first();
        if (request == null || closed || resuming) {
            return;
        }
        if (!begun && !context.backend().view().isCurrent()) {
            resuming = true;
            stopWaiting = context.backend().untilCurrent().await(() -> context.run(this::resume));
            return;
        }
        begun = true;
        if (upcoming == null && !page.hasNext()) {
            turnPage(request);
        }
        sendPage(request);
        if (upcoming == null) {
            resumeLater();
        }
    }

    /** Sends nothing more. */
    void close() {
        closed = true;
        stopWaiting.run();
    }

    private @Nullable Request first() {
        var first = requests.firstEntry();
        return first == null ? null : first.getValue();
    }

    private void turnPage(Request request) {
        RetainedMessages.Page turned = context.backend().retained().page(request.filter(), next, PAGE, PAGE_BYTES);
        page = turned.messages().iterator();
        next = turned.next();
        isLastPage = next == null;
    }

    /**
     * Sends until the page is at its end (then {@link #upcoming} is null) or until there is no room for the next
     * message, for which the logs may have to be waited for.
     */
    private void sendPage(Request request) {
        for (Message message = peek(); message != null && hasRoom(request, message); message = peek()) {
            if (isLogged(qosOf(request, message)) && context.backend().shards().isCongested()) {
                awaitLogs();
                return;
            }
            upcoming = null;
            send(request, message);
        }
    }

    private void awaitLogs() {
        resuming = true;
        stopWaiting = context.backend().room().await(() -> context.run(() -> context.slowly(this::resume)));
    }

    private @Nullable Message peek() {
        if (upcoming == null && page.hasNext()) {
            upcoming = page.next();
        }
        return upcoming;
    }

    /** A filter may have to look at all there is, page by page, and other connections are to have their turns. */
    private void resumeLater() {
        if (isLastPage) {
            requests.pollFirstEntry();
            beginNext();
        }
        if (!requests.isEmpty()) {
            resuming = true;
            context.slowly(this::resume);
        }
    }

    /** The request that is first now begins with its first page. */
    private void beginNext() {
        next = null;
        begun = false;
    }

    private void resume() {
        resuming = false;
        proceed();
    }

    private boolean hasRoom(Request request, Message message) {
        return appending < PAGE && appendingBytes < PAGE_BYTES && outbound.hasRoom(qosOf(request, message));
    }

    private boolean isLogged(QoS qos) {
        return identity.persistent() && qos.isAcknowledged();
    }

    private static QoS qosOf(Request request, Message message) {
        return request.qos().min(message.qos()); // [MQTT-3.8.4-8]
    }

    private void send(Request request, Message message) {
        if (message.publisher().equals(request.exceptFrom())) {
            return; // no local [MQTT-3.8.3-3]
        }
        if (!context.backend().retained().isCurrent(message)) {
            return; // its successor came live; the older must not follow
        }
        QoS qos = qosOf(request, message);
        List<Integer> ids = request.subscriptionId() == 0 ? List.of() : List.of(request.subscriptionId());
        if (isLogged(qos)) {
            append(message, qos, ids);
        } else {
            outbound.offer(new Queued(message, qos, true, ids, null)); // RETAIN is set [MQTT-3.3.1-8]
        }
    }

    private void append(Message message, QoS qos, List<Integer> ids) {
        long session = identity.attached().session();
        Recipient self = new Recipient(
                identity.clientId(),
                session,
                qos,
                true,
                ids,
                null,
                identity.attached().kind());
        long bytes = message.memoryBytes();
        appending++;
        appendingBytes += bytes;
        AppendCallback whenAppended = (_, failure) -> context.post(() -> appended(bytes, failure));
        context.backend().appends().publish(message, List.of(self), null, whenAppended);
    }

    private void appended(long bytes, @Nullable Throwable failure) {
        if (failure != null) {
            context.services().recorder().dropped(DropReason.FAILED);
        }
        appending--;
        appendingBytes -= bytes;
        if (appending == 0) {
            proceed();
        }
    }
}
