package dev.flyball.ops.console;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.telemetry.AdminAddress;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.Telemetry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A console with a token for each kind of user, over a folder with a projection. */
final class SecuredConsole implements AutoCloseable {
  static final String VIEWER_A = "token-of-a-viewer-of-a";
  static final String OPERATOR_A = "token-of-an-operator-of-a";
  static final String ADMIN_A = "token-of-an-admin-of-a";
  static final String VIEWER = "token-of-a-viewer-of-all";
  static final String ADMIN = "token-of-an-admin-of-all";

  final AdminServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  /** A console whose Kafka does not answer. */
  static SecuredConsole withoutKafka(Path folder) {
    return withoutKafka(folder, Health::healthy);
  }

  /** A console with this health, whose Kafka does not answer. */
  static SecuredConsole withoutKafka(Path folder, Supplier<Health> health) {
    var kafka = new KafkaSettings(Topics.DEFAULT, Map.of("bootstrap.servers", "127.0.0.1:1"));
    return new SecuredConsole(folder, kafka, health);
  }

  private SecuredConsole(Path folder, KafkaSettings kafka, Supplier<Health> health) {
    var tokens =
        List.of(
            token("vera", VIEWER_A, "a", AccessRole.VIEWER),
            token("otto", OPERATOR_A, "a", AccessRole.OPERATOR),
            token("adam", ADMIN_A, "a", AccessRole.ADMIN),
            token("vito", VIEWER, "*", AccessRole.VIEWER),
            token("anna", ADMIN, "*", AccessRole.ADMIN));
    var access = new ConsoleAccess(tokens, false, InstantSource.system());
    var telemetry = new Telemetry();
    telemetry.bindProcess();
    server =
        AdminServer.start(
            AdminAddress.plain("console.listen", ListenAddress.LOOPBACK),
            access,
            telemetry,
            health);
    new ConsoleApp(ConsoleConfig.defaults(folder), kafka, telemetry)
        .attach(server, access, "", Map.of());
  }

  private static AccessToken token(String name, String plain, String tenant, AccessRole role) {
    return AccessToken.ofPlain(name, plain, Map.of(tenant, role));
  }

  HttpResponse<String> get(String path, @Nullable String token) {
    return send(request(path, token));
  }

  /** Posts JSON as a program does. */
  HttpResponse<String> post(String path, @Nullable String token, String json) {
    return send(
        request(path, token)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  HttpRequest.Builder request(String path, @Nullable String token) {
    var request = HttpRequest.newBuilder(URI.create(server.url() + path));
    return token == null ? request : request.header("Authorization", "Bearer " + token);
  }

  HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
