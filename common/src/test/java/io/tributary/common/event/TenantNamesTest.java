package io.tributary.common.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TenantNamesTest {

    @Test
    void topicOfATenantIsBackWithItsTenant() {
        String name = TenantNames.topic("acme", "devices/7");

        assertThat(name).isEqualTo("\0acme/devices/7");
        assertThat(TenantNames.tenantOf(name)).isEqualTo("acme");
        assertThat(TenantNames.visible(name)).isEqualTo("devices/7");
    }

    @Test
    void clientIdentifierOfATenantIsBackWithItsTenantAndIsNoGroups() {
        String name = TenantNames.clientId("acme", "a/b");

        assertThat(name).isEqualTo("\0\0acme/a/b");
        assertThat(TenantNames.tenantOf(name)).isEqualTo("acme");
        assertThat(TenantNames.visible(name)).isEqualTo("a/b");
        assertThat(GroupIdentifier.isGroup(name)).isFalse();
        assertThat(GroupIdentifier.isGroup(GroupIdentifier.ofName("g/" + TenantNames.topic("acme", "a"))))
                .isTrue();
    }

    @Test
    void nameOfTheBrokersOwnClientsIsNoTenantsAndNoGroups() {
        String topic = TenantNames.topic(TenantNames.BROKER, "canary/n1");
        String clientId = TenantNames.clientId(TenantNames.BROKER, "canary/n1");

        for (String name : List.of(topic, clientId)) {
            assertThat(TenantNames.isBrokers(name)).isTrue();
            assertThat(TenantNames.visible(name)).isEqualTo("canary/n1");
            assertThat(TenantNames.display(name)).isEqualTo("canary/n1 (the broker's own)");
        }
        assertThat(GroupIdentifier.isGroup(clientId)).isFalse();
        assertThat(TenantNames.isName(TenantNames.BROKER)).isFalse();
        assertThat(Stream.of("", "/", "/canary/n1", "canary/n1", "\0", "\0\0", "\0acme/7", "\0\0acme/7", "\0g/a"))
                .noneMatch(TenantNames::isBrokers);
        assertThat(TopicFilter.parse("#").matches(topic)).isFalse();
        assertThat(TopicFilter.parse("+/canary/#").matches(topic)).isFalse();
        assertThat(TenantNames.filter("acme", TopicFilter.parse("#")).matches(topic))
                .isFalse();
    }

    @Test
    void nameStaysAsItIsWithoutATenant() {
        assertThat(TenantNames.topic(null, "a/b")).isEqualTo("a/b");
        assertThat(TenantNames.clientId(null, "a/b")).isEqualTo("a/b");
        assertThat(TenantNames.tenantOf("a/b")).isNull();
        assertThat(TenantNames.visible("a/b")).isEqualTo("a/b");
        assertThat(TenantNames.isTenants("")).isFalse();
    }

    @Test
    void filterOfATenantIsThatBehindTheShareName() {
        TopicFilter shared = TenantNames.filter("acme", TopicFilter.parse("$share/g/a/#"));

        assertThat(shared).hasToString("$share/g/\0acme/a/#");
        assertThat(TopicFilter.parseStored(shared.toString())).isEqualTo(shared);
        assertThat(TenantNames.visible(shared)).hasToString("$share/g/a/#");
        assertThat(TenantNames.filter(null, TopicFilter.parse("a"))).isEqualTo(TopicFilter.parse("a"));
    }

    @Test
    void messageOfATenantIsBackAsItWas() {
        Message sent = Message.of("a", new byte[1], QoS.AT_LEAST_ONCE).withNames("a", "7");
        Message inside = TenantNames.message("acme", sent);

        assertThat(inside.topic()).isEqualTo("\0acme/a");
        assertThat(inside.publisher()).isEqualTo("\0\0acme/7");
        assertThat(TenantNames.visible(inside)).isEqualTo(sent);
        assertThat(TenantNames.message("acme", sent.withNames("a", "")).publisher())
                .isEmpty();
        assertThat(TenantNames.message(null, sent)).isSameAs(sent);
        assertThat(TenantNames.visible(sent)).isSameAs(sent);
    }

    @Test
    void groupOfATenantIsBackWithItsTenant() {
        String group = GroupIdentifier.of("$share/g/\0acme/a/#");

        assertThat(GroupIdentifier.tenantOf(group)).isEqualTo("acme");
        assertThat(GroupIdentifier.visibleNameOf(group)).isEqualTo("g/a/#");
        assertThat(GroupIdentifier.tenantOf(GroupIdentifier.of("$share/g/a"))).isNull();
        assertThat(GroupIdentifier.visibleNameOf(GroupIdentifier.of("$share/g/a")))
                .isEqualTo("g/a");
        assertThat(GroupIdentifier.tenantOf(TenantNames.clientId("acme", "7"))).isEqualTo("acme");
        assertThat(GroupIdentifier.tenantOf("7")).isNull();
    }

    @Test
    void nameIsLegibleWhenItIsShown() {
        assertThat(GroupIdentifier.display(TenantNames.clientId("acme", "7"))).isEqualTo("7 (tenant acme)");
        assertThat(GroupIdentifier.display(GroupIdentifier.of("$share/g/\0acme/a/#")))
                .isEqualTo("$share/g/a/# (tenant acme)");
        assertThat(GroupIdentifier.display(GroupIdentifier.of("$share/g/a"))).isEqualTo("$share/g/a");
        assertThat(TenantNames.display("\0acme/a/b")).isEqualTo("a/b (tenant acme)");
        assertThat(TenantNames.display("a/b")).isEqualTo("a/b");
        assertThat(TenantNames.display("7\0" + 123)).isEqualTo("7"); // its place is another session's
    }

    @Test
    void nameThatIsShownForgesNoLines() {
        assertThat(TenantNames.display("7\n2026-11-30 ERROR")).isEqualTo("7?2026-11-30 ERROR");
        assertThat(TenantNames.display("7\n\0" + 123)).isEqualTo("7?");
        assertThat(GroupIdentifier.display(TenantNames.clientId("acme", "7\r"))).isEqualTo("7? (tenant acme)");
        assertThat(GroupIdentifier.display(GroupIdentifier.of("$share/g\n/\0acme/a\u2028/#")))
                .isEqualTo("$share/g?/a?/# (tenant acme)");
    }

    @Test
    void emptyClientIdentifierAndTopicThatBeginsWithTheSeparatorAreKept() {
        assertThat(TenantNames.visible(TenantNames.clientId("acme", ""))).isEmpty();
        assertThat(TenantNames.visible(TenantNames.topic("acme", "/a"))).isEqualTo("/a");
    }
}
