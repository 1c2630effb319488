package dev.flyball.runner.agent;

import java.util.List;
import java.util.stream.Stream;

/** Environment variables that let a program reach a provider from inside a company. */
final class NetworkVariables {
  private static final List<String> NAMES =
      List.of(
          "HTTPS_PROXY",
          "HTTP_PROXY",
          "NO_PROXY",
          "https_proxy",
          "http_proxy",
          "no_proxy",
          "NODE_EXTRA_CA_CERTS",
          "SSL_CERT_FILE");

  private NetworkVariables() {}

  /** Returns an agent's own names and these. */
  static List<String> and(String... own) {
    return Stream.concat(Stream.of(own), NAMES.stream()).toList();
  }
}
