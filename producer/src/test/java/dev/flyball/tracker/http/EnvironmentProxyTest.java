package dev.flyball.tracker.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Proxies as the environment names them. */
class EnvironmentProxyTest {
  private static final Map<String, String> BOTH =
      Map.of(
          "HTTPS_PROXY", "http://proxy.example:3128",
          "http_proxy", "other.example:8080",
          "NO_PROXY", "tracker.local, .intern.example");

  @Test
  void eachSchemeHasItsProxy() {
    assertThat(proxyOf("https://dev.azure.com/x")).isEqualTo("proxy.example:3128");
    assertThat(proxyOf("http://redmine.example/x")).isEqualTo("other.example:8080");
  }

  @Test
  void whatIsNearIsAskedDirectly() {
    for (String near :
        new String[] {
          "http://127.0.0.1:8080/", "http://localhost/", "http://[::1]:8080/",
          "https://tracker.local/", "https://a.intern.example/", "https://intern.example/"
        }) {
      assertThat(proxyOf(near)).as(near).isEqualTo("direct");
    }
    assertThat(proxyOf("https://nottracker.local/")).isEqualTo("proxy.example:3128");
  }

  @Test
  void withoutAnyJavaDecides() {
    assertThat(EnvironmentProxy.of(Map.of())).isEmpty();
    assertThat(EnvironmentProxy.of(Map.of("HTTPS_PROXY", " "))).isEmpty();
    assertThat(EnvironmentProxy.of(Map.of("HTTPS_PROXY", "::"))).isEmpty();
  }

  private static String proxyOf(String address) {
    var proxy = EnvironmentProxy.of(BOTH).orElseThrow().select(URI.create(address)).getFirst();
    return proxy.address() instanceof InetSocketAddress at
        ? at.getHostString() + ":" + at.getPort()
        : "direct";
  }
}
