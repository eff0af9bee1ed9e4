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
    private final PeerChannels<CompletableFuture<byte[]>> channels = new PeerChannels<>();
    private volatile @Nullable Function<byte[], CompletionStage<byte[]>> here;

    OwnerQuestions(ShardTraffic owners, RecordFormat format) {
        this.owners = owners;
        this.format = format;
    }

    /** There is a link to a node. */
    void onUp(Link link) {
        channels.up(link);
    }

    /** A link is gone. */
    void onDown(Link link) {
        PeerChannel<CompletableFuture<byte[]>> channel = channels.down(link);
        if (channel != null) {
            channel.waiting.keySet().forEach(id -> lost(channel, id));
        }
    }

    @Override
    public void answerWith(Function<byte[], CompletionStage<byte[]>> owner) {
        here = owner;
    }

    @Override
    public @Nullable CompletionStage<byte[]> ask(byte[] question) {
        String owner = owners.ownerOf(SHARD);
        PeerChannel<CompletableFuture<byte[]>> channel = owner == null ? null : channels.to(owner);
        if (channel == null || channel.waiting.size() >= MOST_WAITING || question.length > OwnerQuestion.MAX_BYTES) {
            return null;
        }
        long id = lastId.incrementAndGet();
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        channel.waiting.put(id, answer);
        if (!channel.link.send(FrameBuilder.frameOf(new OwnerQuestion(id, question), format))) {
            channel.waiting.remove(id);
            return null;
        }
        if (channel != channels.of(channel.link)) { // onDown may have looked before the question was put there
            lost(channel, id);
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
        PeerChannel<CompletableFuture<byte[]>> channel = channels.of(link);
        CompletableFuture<byte[]> waiting = channel == null ? null : channel.waiting.remove(answered.id());
        if (waiting != null) {
            waiting.complete(answered.answer());
        }
    }

    private static void lost(PeerChannel<CompletableFuture<byte[]>> channel, long id) {
        CompletableFuture<byte[]> waiting = channel.waiting.remove(id);
        if (waiting != null) {
            waiting.completeExceptionally(new IllegalStateException("the link to " + channel.link.peer() + " broke"));
        }
    }
}
