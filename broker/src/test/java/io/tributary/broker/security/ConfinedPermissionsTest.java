package io.tributary.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.event.Principal;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.QoS;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConfinedPermissionsTest {
    private final List<String> asked = new ArrayList<>();
    private final Authorizer authorizer = TenantAuthorizer.of(new Noting());

    private final class Noting implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            return asked.add(client.clientId() + " publishes " + topic);
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return asked.add(client.clientId() + " subscribes " + topicFilter);
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            return asked.add(client.clientId() + " receives " + topic);
        }
    }

    /** What it leaves to the interface would be answered without the client's rules. */
    @Test
    void answersEveryQuestionItself() {
        assertThat(Arrays.stream(Permissions.class.getMethods())
                        .filter(method -> !Modifier.isStatic(method.getModifiers()))
                        .map(ConfinedPermissionsTest::signature))
                .isNotEmpty()
                .isSubsetOf(Arrays.stream(ConfinedPermissions.class.getDeclaredMethods())
                        .map(ConfinedPermissionsTest::signature)
                        .toList());
    }

    @Test
    void namesAreThoseOfTheClientWhateverIsKnownOfIt() {
        Principal principal = new Principal("r", "n", null, "acme", List.of(), null);
        String inside = TenantNames.clientId("acme", "7");
        for (@Nullable Principal known : Arrays.asList(principal, null)) {
            Permissions permissions = authorizer.bindAway(ClientInfo.away(inside, null, known));
            permissions.mayPublish("\0acme/a", QoS.AT_MOST_ONCE, false);
            permissions.maySubscribe("\0acme/a/#", QoS.AT_MOST_ONCE);
            for (String topic : List.of("\0acme/b", "\0acme/b", "\0acme/c", "b")) {
                Objects.requireNonNull(permissions.remembering().reading("\0acme/#"))
                        .mayReceive(topic);
            }
            assertThat(asked)
                    .containsExactly(
                            "7 publishes a",
                            "7 subscribes a/#",
                            "7 receives b",
                            "7 receives b",
                            "7 receives c",
                            "7 receives b");
            asked.clear();
        }
    }

    @Test
    void clientOfNoTenantIsAskedAboutAsBefore() {
        ClientInfo client = ClientInfo.away("7", null, Principal.ANONYMOUS);
        assertThat(authorizer.bind(client)).isInstanceOf(AskedPermissions.class);
        assertThat(TenantAuthorizer.of(Authorizer.allowAll())).isSameAs(Authorizer.allowAll());
        assertThat(Authorizer.allowAll()
                        .bind(client)
                        .mayPublish("\0acme/$SYS/a", QoS.AT_MOST_ONCE, false)
                        .allowed())
                .isFalse();
    }

    @Test
    void answerIsNoWhenTheAuthorizerFailsInWhateverWay() {
        for (Permissions failing : failing()) {
            assertThat(failing.mayPublish("a", QoS.AT_MOST_ONCE, false).allowed())
                    .isFalse();
            assertThat(failing.maySubscribe("a", QoS.AT_MOST_ONCE).granted()).isFalse();
            assertThat(failing.standing("a", QoS.AT_MOST_ONCE).granted())
                    .as("nothing is taken away")
                    .isTrue();
            assertThat(failing.mayReceive("a").allowed()).isFalse();
            Permissions reading = Objects.requireNonNull(failing.reading("a"));
            assertThat(reading.mayReceive("a").allowed()).isFalse();
        }
    }

    private static List<Permissions> failing() {
        return Stream.of(new Failing(), new FailingOnesOfItsOwn())
                .map(authorizer ->
                        TenantAuthorizer.of(authorizer).bind(ClientInfo.away("7", null, Principal.ANONYMOUS)))
                .toList();
    }

    private static class Failing implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            throw new AssertionError();
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            throw new AssertionError();
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            throw new AssertionError();
        }
    }

    private static final class FailingOnesOfItsOwn extends Failing {
        @Override
        public Permissions bind(ClientInfo client) {
            return new FailingPermissions();
        }
    }

    private static final class FailingPermissions implements Permissions {
        @Override
        public Decision mayPublish(String topic, QoS qos, boolean retain) {
            throw new AssertionError();
        }

        @Override
        public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
            throw new AssertionError();
        }

        @Override
        public SubscriptionDecision standing(String topicFilter, QoS qos) {
            throw new AssertionError();
        }

        @Override
        public Decision mayReceive(String topic) {
            throw new AssertionError();
        }

        @Override
        public Permissions reading(String topicFilter) {
            throw new AssertionError();
        }
    }

    @Test
    void callersHearOfAnAuthorizerThatFailsAltogether() {
        Authorizer failing = TenantAuthorizer.of(new Failing() {
            @Override
            public Permissions bind(ClientInfo client) {
                throw new AssertionError();
            }
        });
        assertThatThrownBy(() -> failing.bindAway(ClientInfo.away("7", null, null)))
                .isInstanceOf(IllegalStateException.class);
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }
}
