package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressesTest {
    private static final InetAddress FIRST = InetAddress.ofLiteral("10.0.0.5");
    private static final InetAddress SECOND = InetAddress.ofLiteral("10.0.0.7");

    @Test
    void areAllOfTheNameWhenItHasSeveral() {
        assertThat(Addresses.all("balancer:1883", _ -> List.of(FIRST, SECOND)))
                .containsExactly(new InetSocketAddress(FIRST, 1883), new InetSocketAddress(SECOND, 1883));
    }

    @Test
    void areTheNameWhenItHasOneOrNone() {
        assertThat(Addresses.all("localhost:1883", _ -> List.of(FIRST)))
                .extracting(InetSocketAddress::getHostString)
                .containsExactly("localhost");
        assertThat(Addresses.all("nobody.invalid:1883", _ -> List.of()))
                .extracting(InetSocketAddress::getHostString)
                .containsExactly("nobody.invalid");
    }

    @Test
    void areNotBothFamiliesOfTheLoopback() {
        assertThat(Addresses.ofHost("localhost")).hasSize(1);
        assertThat(Addresses.ofHost("127.0.0.1")).containsExactly(InetAddress.ofLiteral("127.0.0.1"));
        assertThat(Addresses.ofHost("nobody.invalid")).isEmpty();
    }
}
