package io.tributary.cluster.node;

import io.tributary.broker.security.store.OwnerLink;
import io.tributary.cluster.link.Link;
import io.tributary.cluster.node.NodeMessage.OwnerAnswer;
import io.tributary.cluster.node.NodeMessage.OwnerQuestion;
import io.tributary.cluster.node.PeerChannels.PeerChannel;
import io.tributary.common.event.RecordFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries questions to the owner of shard 0 on another node, and its answers back. Whoever asks is told in any case:
 * when the link breaks before there is an answer, nobody knows what became of the question. Any thread; never blocks.
 */
final class OwnerQuestions implements OwnerLink {
    private static final int SHARD = 0;
    /** How many may wait for an answer. */
    private static final int MOST_WAITING = 1_000;

    private final ShardTraffic owners;
    private final RecordFormat format;
    private final AtomicLong lastId = new AtomicLong();
    private final PeerChannels<CompletableFuture<byte[]>> ways = new PeerChannels<>();
    private volatile @Nullable Function<byte[], CompletionStage<byte[]>> here;

    OwnerQuestions(ShardTraffic owners, RecordFormat format) {
        this.owners = owners;
        this.format = format;
    }

    /** There is a link to a node. */
    void onUp(Link link) {
        ways.up(link);
    }

    /** A link is gone. */
    void onDown(Link link) {
        PeerChannel<CompletableFuture<byte[]>> way = ways.down(link);
        if (way != null) {
            way.waiting.keySet().forEach(id -> lost(way, id));
        }
    }

    @Override
    public void answerWith(Function<byte[], CompletionStage<byte[]>> owner) {
        here = owner;
    }

    @Override
    public @Nullable CompletionStage<byte[]> ask(byte[] question) {
        String owner = owners.ownerOf(SHARD);
        PeerChannel<CompletableFuture<byte[]>> way = owner == null ? null : ways.to(owner);
        if (way == null || way.waiting.size() >= MOST_WAITING || question.length > OwnerQuestion.MAX_BYTES) {
            return null;
        }
        long id = lastId.incrementAndGet();
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        way.waiting.put(id, answer);
        if (!way.link.send(FrameBuilder.frameOf(new OwnerQuestion(id, question), format))) {
            way.waiting.remove(id);
            return null;
        }
        if (way != ways.of(way.link)) { // onDown may have looked before the question was put there
            lost(way, id);
        }
        return answer;
    }

    /** Another node asks; on the link's event loop. */
    void take(Link link, OwnerQuestion asked) {
        Function<byte[], CompletionStage<byte[]>> owner = here;
        if (owner != null) {
            owner.apply(asked.question())
                    .thenAccept(answer -> link.send(FrameBuilder.frameOf(new OwnerAnswer(asked.id(), answer), format)));
        }
    }

    /** Another node has answered. */
    void take(Link link, OwnerAnswer answered) {
        PeerChannel<CompletableFuture<byte[]>> way = ways.of(link);
        CompletableFuture<byte[]> waiting = way == null ? null : way.waiting.remove(answered.id());
        if (waiting != null) {
            waiting.complete(answered.answer());
        }
    }

    private static void lost(PeerChannel<CompletableFuture<byte[]>> way, long id) {
        CompletableFuture<byte[]> waiting = way.waiting.remove(id);
        if (waiting != null) {
            waiting.completeExceptionally(new IllegalStateException("the link to " + way.link.peer() + " broke"));
        }
    }
}
