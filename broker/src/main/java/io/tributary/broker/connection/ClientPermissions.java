package io.tributary.broker.connection;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Printable;
import io.tributary.common.mqtt.QoS;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one connected client may do, and whether each message on its way to the client has to be asked about: not when
 * all its subscriptions were granted as a whole by the rules that hold, and nothing waited for it from before. Confined
 * to the event loop.
 */
final class ClientPermissions {
    private static final Logger LOG = LoggerFactory.getLogger(ClientPermissions.class);

    private final ClientInfo accepted;
    private final Authorizer authorizer;
    private Permissions permissions;
    private final long version;
    private volatile ClientInfo client; // read by any thread
    private boolean asksEach;

    ClientPermissions(Authorizer authorizer, ClientInfo client) {
        accepted = client;
        this.client = client;
        this.authorizer = authorizer;
        version = authorizer.version(); // before: what is replaced meanwhile is looked at again
        permissions = authorizer.bind(client).remembering();
    }

    /** Something else is known of the client than before: what it may do is decided anew. */
    void renewed(ClientInfo same) {
        client = same;
        permissions = authorizer.bind(same).remembering();
        askAboutEach(); // subscriptions were granted to who it was
    }

    /** The client as it was accepted. */
    ClientInfo accepted() {
        return accepted;
    }

    /** The client as it is known at the moment; any thread. */
    ClientInfo client() {
        return client;
    }

    /** All that it may do; for the router, and for a look at its subscriptions. */
    Permissions all() {
        return permissions;
    }

    /** Whether other rules hold than when the client connected. */
    boolean areOthers() {
        return authorizer.version() != version;
    }

    /** The number of the rules that hold. */
    long version() {
        return authorizer.version();
    }

    /** Whether it may subscribe; where it may not read all that the filter matches, each message is asked about. */
    SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        SubscriptionDecision decision = permissions.maySubscribe(topicFilter, qos);
        if (decision.extent() == Extent.CUT) {
            asksEach = true;
        }
        return decision;
    }

    /** Messages may come that no subscription brings which was granted here. */
    void askAboutEach() {
        asksEach = true;
    }

    /** Whether it may be sent a message that is there for it. */
    Decision mayReceive(String topic) {
        if (!asksEach && !areOthers()) {
            return Decision.ALLOWED;
        }
        Decision decision = permissions.mayReceive(topic);
        if (!decision.allowed() && LOG.isDebugEnabled()) {
            LOG.debug(
                    "{} may not receive what is published on {}: {}",
                    TenantNames.display(accepted.idInside()),
                    Printable.of(TenantNames.visible(topic)),
                    decision.reason());
        }
        return decision;
    }
}
