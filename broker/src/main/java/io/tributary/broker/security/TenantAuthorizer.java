package io.tributary.broker.security;

import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.QoS;
import java.util.function.Function;

/**
 * Shows an authorizer the topics of a tenant as the tenant's clients know them, on every path: it is asked about
 * {@code devices/7} where the broker has {@code <NUL>acme/devices/7} ({@link TenantNames}). Which tenant it is says
 * {@link ClientInfo#tenant}. It is not asked about the broker's own clients. What it fails with means no.
 */
public final class TenantAuthorizer implements Authorizer {
    private final Authorizer authorizer;

    private TenantAuthorizer(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    /** The authorizer as the broker asks it. */
    public static Authorizer of(Authorizer authorizer) {
        boolean knowsTenants = authorizer instanceof TenantAuthorizer || authorizer.equals(Authorizer.allowAll());
        return knowsTenants ? authorizer : new TenantAuthorizer(authorizer);
    }

    @Override
    public Permissions bind(ClientInfo client) {
        return isBrokers(client) ? Authorizer.allowAll().bind(client) : confined(client, authorizer::bind);
    }

    @Override
    public Permissions bindAway(ClientInfo client) {
        return isBrokers(client) ? Authorizer.allowAll().bind(client) : confined(client, authorizer::bindAway);
    }

    /** Nobody's rules are about the broker's own clients, which have nothing but what is theirs. */
    private static boolean isBrokers(ClientInfo client) {
        return client.principal() != null && client.principal().isBroker();
    }

    /** What the authorizer gives may be a class of its own, which fails in any way. */
    private static Permissions confined(ClientInfo client, Function<ClientInfo, Permissions> authorizer) {
        Permissions permissions;
        try {
            permissions = authorizer.apply(client);
        } catch (Error failure) {
            throw new IllegalStateException("the authorizer failed", failure); // which every caller takes for a no
        }
        boolean isOfNone = client.principal() != null && client.tenant() == null;
        return isOfNone && permissions instanceof AskedPermissions ? permissions : new ConfinedPermissions(permissions);
    }

    @Override
    public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
        return bind(client).mayPublish(topic, qos, retain).allowed();
    }

    @Override
    public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
        return bind(client).maySubscribe(topicFilter, qos).granted();
    }

    @Override
    public boolean mayReceive(ClientInfo client, String topic) {
        return bind(client).mayReceive(topic).allowed();
    }

    @Override
    public long version() {
        return authorizer.version();
    }

    @Override
    public long digest() {
        return authorizer.digest();
    }
}
