package io.tributary.broker.security.rules;

import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.rules.Placeholder.Source;
import io.tributary.broker.security.rules.TopicPattern.Level;
import io.tributary.broker.security.rules.TopicPattern.Value;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.Set;

/**
 * Lets rules decide where the broker asks an {@link Authorizer}, and lowers the QoS of subscriptions where it asks a
 * {@link SubscribeInterceptor}: a broker needs both.
 *
 * <p>An authorizer is told nothing of a client but its identifier. Rules that need more are refused, for a rule that
 * denies would deny nothing.
 */
public final class RuleAuthorizer implements Authorizer, SubscribeInterceptor {
    private final Rules rules;

    /**
     * Decides by these rules.
     *
     * @throws IllegalArgumentException when a rule set is for certain groups, users, listeners or addresses, or a topic
     *     has a placeholder for something else than the client identifier
     */
    public RuleAuthorizer(List<RuleSet> sets) {
        sets.forEach(RuleAuthorizer::check);
        rules = new Rules(sets);
    }

    private static void check(RuleSet set) {
        Audience audience = set.audience();
        if (!audience.equals(new Audience(Set.of(), Set.of(), audience.clientIds(), Set.of(), List.of()))) {
            throw new IllegalArgumentException(set.name()
                    + " is for certain groups, users, listeners or addresses; only client-ids can be told yet");
        }
        for (Rule rule : set.rules()) {
            for (Level level : rule.topic().levels()) {
                if (level instanceof Value(Placeholder placeholder) && placeholder.source() != Source.CLIENT_ID) {
                    throw new IllegalArgumentException(
                            set.name() + " has the topic " + rule.topic() + "; only ${clientid} has a value yet");
                }
            }
        }
    }

    @Override
    public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
        return of(client).mayPublish(topic, qos, retain).allowed();
    }

    @Override
    public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
        return of(client).subscribe(topicFilter, qos).granted();
    }

    @Override
    public boolean mayReceive(ClientInfo client, String topic) {
        return of(client).mayReceive(topic).allowed();
    }

    @Override
    public Decision onSubscribe(ClientInfo client, Subscription asked) {
        String filter = TopicFilter.parse(asked.filter()).filter();
        QoS qos = of(client).subscribe(filter, asked.maximumQos()).maxQos();
        return new Proceed(new Subscription(
                asked.filter(), qos, asked.noLocal(), asked.retainAsPublished(), asked.retainHandling()));
    }

    private Permissions of(ClientInfo client) {
        return rules.bind(Subject.ofClientId(client.clientId()));
    }
}
