package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OriginRulesTest {
  @Test
  void aLoopbackServerIsCalledByTheNamesOfLoopbackOnly() {
    assertThat(List.of("localhost", "LOCALHOST:8321", "127.0.0.1:1", "[::1]:8321", "[::1]"))
        .allMatch(host -> OriginRules.loopback("127.0.0.1").takesHost(host, "127.0.0.1"));
    assertThat(List.of("evil.example", "localhost.evil.example:8321", "10.0.0.5", "", ":80"))
        .noneMatch(host -> OriginRules.loopback("127.0.0.1").takesHost(host, "127.0.0.1"));
  }

  @Test
  void aReachableServerHasItsNamesAndTheAddressThatWasConnectedTo() {
    var rules = OriginRules.reachable(List.of("Flyball.example"), null);

    assertThat(rules.takesHost("flyball.example:8321", "10.0.0.5")).isTrue();
    assertThat(rules.takesHost("10.0.0.5:8321", "10.0.0.5")).isTrue();
    assertThat(rules.takesHost("[fd00:0:0:0:0:0:0:5]", "fd00:0:0:0:0:0:0:5")).isTrue();
    assertThat(rules.takesHost("[fd00::5]:8321", "fd00:0:0:0:0:0:0:5%eth0")).isTrue();
    assertThat(rules.takesHost("[fd00::6]:8321", "fd00:0:0:0:0:0:0:5")).isFalse();
    assertThat(rules.takesHost("[evil]", "fd00:0:0:0:0:0:0:5")).isFalse();
    assertThat(rules.takesHost("10.0.0.6:8321", "10.0.0.5")).isFalse();
    assertThat(rules.takesHost("evil.example", "10.0.0.5")).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // origin, site, content type, marked, taken
        "http://h:1, same-origin, application/x-www-form-urlencoded, false, true",
        "http://h:1, -, application/x-www-form-urlencoded, false, true",
        "https://H:1, none, text/plain, false, true",
        "http://h:2, -, application/json, true, false",
        "http://evil.example, cross-site, application/json, true, false",
        "null, -, application/json, false, false",
        "http://h:1, cross-site, application/json, false, false",
        "-, same-site, application/json, false, false",
        "-, -, application/json; charset=utf-8, false, true",
        "-, -, text/plain, true, true",
        "-, -, application/x-www-form-urlencoded, false, false",
        "-, -, -, false, false",
      })
  void aChangeComesFromAPageOfThisServerOrFromAProgram(
      String origin, String site, String type, boolean marked, boolean taken) {
    assertThat(OriginRules.anyHost().ownPage("h:1", origin, site, type, marked)).isEqualTo(taken);
  }

  @ParameterizedTest
  @CsvSource({
    "https://flyball.example, true",
    "http://flyball.example, false",
    "https://flyball.example:8321, false",
    "https://evil.example, false",
  })
  void behindAProxyThatReplacesTheHostAChangeComesFromThePageOfItsAddress(
      String origin, boolean taken) {
    var rules = OriginRules.reachable(List.of(), URI.create("https://flyball.example/x"));

    assertThat(rules.ownPage("127.0.0.1:8321", origin, "same-origin", "text/plain", false))
        .isEqualTo(taken);
  }
}
