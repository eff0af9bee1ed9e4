package io.tributary.common.event;

import static org.assertj.core.api.Assertions.assertThat;

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
    void nameStaysAsItIsWithoutATenant() {
        assertThat(TenantNames.topic(null, "a/b")).isEqualTo("a/b");
        assertThat(TenantNames.clientId(null, "a/b")).isEqualTo("a/b");
        assertThat(TenantNames.tenantOf("a/b")).isNull();
        assertThat(TenantNames.visible("a/b")).isEqualTo("a/b");
        assertThat(TenantNames.isTenants("")).isFalse();
    }

    @Test
    void emptyClientIdentifierAndTopicThatBeginsWithTheSeparatorAreKept() {
        assertThat(TenantNames.visible(TenantNames.clientId("acme", ""))).isEmpty();
        assertThat(TenantNames.visible(TenantNames.topic("acme", "/a"))).isEqualTo("/a");
    }
}
