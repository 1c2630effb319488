package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.program.admin.Certificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConsoleAddressTest {
  private static final String HASH =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  private static final String TOKEN = "console.tokens=[{name: ann, sha256: " + HASH + "}]";

  @TempDir Path folder;

  @Test
  void onLoopbackNoTokenIsNeeded() {
    ConsoleAddress console = console(Map.of());

    assertThat(console.tokens()).isEmpty();
    assertThat(console.address().rules().hosts()).contains("localhost").doesNotContain("h");
  }

  @Test
  void anAddressThatOthersReachNeedsAToken() {
    assertThat(
            console(Map.of(), "console.listen=0.0.0.0:8321", TOKEN, "console.hosts=f.example")
                .address()
                .rules()
                .hosts())
        .contains("f.example", "localhost", "0.0.0.0");
  }

  @Test
  void behindAProxyWithTlsTheCookieNeedsTls() {
    assertThat(console(Map.of(), TOKEN, "console.url=https://f.example").secure()).isTrue();
    assertThat(console(Map.of(), TOKEN, "console.url=http://f.example").secure()).isFalse();
    assertThat(console(Map.of(), TOKEN).secure()).isFalse();
  }

  @Test
  void aTokenIsReadFromItsHashAVariableOrAFile() throws IOException {
    Files.writeString(folder.resolve("token"), "a-token-in-a-file-of-mine\n");
    var tokens =
        console(
                Map.of("ANNS", "a-token-in-a-variable"),
                "console.tokens=[{name: ann, token-env: ANNS, roles: ['a:operator', '*:viewer']},"
                    + " {name: ben, token-file: "
                    + folder.resolve("token")
                    + "}, {name: cat, sha256: "
                    + HASH
                    + ", roles: ['a:admin']}]")
            .tokens();

    assertThat(tokens).hasSize(3);
    assertThat(tokens.get(0).roles().toString()).contains("a=OPERATOR", "*=VIEWER");
    assertThat(tokens.get(1).roles().toString()).isEqualTo("{*=VIEWER}");
    assertThat(tokens.get(2).sha256()).isEqualTo(HASH);
  }

  @Test
  void aKeyStoreMakesTheConsoleSpeakTls() throws Exception {
    Path store = new Certificates(folder).make("console");
    ConsoleAddress console =
        console(
            Map.of("STORE", "changeit"),
            "console.listen=127.0.0.1:0",
            "console.tls.key-store=" + store,
            "console.tls.password-env=STORE");
    try (AdminServer server =
            AdminServer.start(
                console.address(), AdminServer.Gate.OPEN, new Telemetry(), Health::healthy);
        HttpClient client = HttpClient.newBuilder().sslContext(trusting(store)).build()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/livez"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(server.url()).startsWith("https://");
      assertThat(answer.body()).isEqualTo("ok\n");
      assertThat(answer.headers().firstValue("Strict-Transport-Security")).isPresent();
    }
    assertThatThrownBy(() -> console(Map.of(), "console.tls.key-store=" + store))
        .isInstanceOf(ConfigurationError.class)
        .hasMessageContaining(store.toString());
  }

  private static SSLContext trusting(Path store) throws Exception {
    KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static ConsoleAddress console(Map<String, String> environment, String... sets) {
    return ConsoleAddress.of(
        ConfigurationLoader.load(null, Map.of(), Stream.of(sets).toList()), environment);
  }
}
