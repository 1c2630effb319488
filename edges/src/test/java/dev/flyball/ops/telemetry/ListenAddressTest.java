package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ListenAddressTest {
  @Test
  void readsHostAndPort() {
    assertThat(ListenAddress.parse("127.0.0.1:8321"))
        .isEqualTo(new ListenAddress("127.0.0.1", 8321));
    assertThat(ListenAddress.parse("[::1]:0").socket().getPort()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"8321", ":8321", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "a:b", ""})
  void refusesAnythingElseWithAnExample(String text) {
    assertThatThrownBy(() -> ListenAddress.parse(text))
        .hasMessageContaining("for example 127.0.0.1:8321");
  }
}
