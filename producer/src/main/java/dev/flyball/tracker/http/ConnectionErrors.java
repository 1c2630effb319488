package dev.flyball.tracker.http;

import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Why no whole answer came, as text that says what to do. */
final class ConnectionErrors {
  private static final String TRUST =
      "add its authority's certificate with FLYBALL_JAVA_OPTS=-Djavax.net.ssl.trustStore=FILE";

  private ConnectionErrors() {}

  static SourceFailure of(Throwable problem, boolean begun, Exchange exchange) {
    if (problem instanceof Error error) {
      throw error;
    }
    Category category =
        problem instanceof BoundedBody.TooLarge
                || has(problem, ProtocolException.class) != null
                || !(problem instanceof IOException)
            ? Category.MALFORMED
            : Category.UNREACHABLE;
    // The exception quotes an answer that is not HTTP, which may echo what we sent.
    Throwable cause = category == Category.MALFORMED ? null : problem;
    return exchange.failure(category, what(problem, begun), Duration.ZERO, cause);
  }

  private static String what(Throwable problem, boolean begun) {
    if (problem instanceof BoundedBody.TooLarge) {
      return "answers with " + problem.getMessage() + "; narrow the query";
    }
    if (has(problem, SSLException.class) != null) {
      return tls(problem);
    }
    if (has(problem, UnresolvedAddressException.class) != null
        || has(problem, UnknownHostException.class) != null) {
      return "cannot be reached: its name is not known; check the url and the name service";
    }
    if (problem instanceof HttpConnectTimeoutException) {
      return "cannot be reached: no connection within 10 s; check the url, firewall and proxy";
    }
    if (problem instanceof ConnectException) {
      return "cannot be reached: no server listens there; check the url and whether it is up";
    }
    if (has(problem, ProtocolException.class) != null) {
      return "does not speak HTTP; check the url's scheme and port";
    }
    return begun
        ? "broke off its answer; it is asked again later, no action needed"
        : "closed the connection without an answer; check the url's scheme and port if it stays so";
  }

  private static String tls(Throwable problem) {
    String text =
        chain(problem).stream()
            .map(Throwable::getMessage)
            .map(String::valueOf)
            .collect(Collectors.joining(" "))
            .toLowerCase(Locale.ROOT);
    if (has(problem, CertificateExpiredException.class) != null) {
      return "has a certificate that expired; have it renewed";
    }
    if (has(problem, CertificateNotYetValidException.class) != null) {
      return "has a certificate that is not valid yet; check this machine's clock";
    }
    if (has(problem, CertPathBuilderException.class) != null) {
      return "has a certificate that is not trusted here; " + TRUST;
    }
    CertPathValidatorException invalid = has(problem, CertPathValidatorException.class);
    if (invalid != null) {
      return "has a certificate that is rejected here ("
          + AsciiLine.of(String.valueOf(invalid.getMessage()), 120)
          + "); have it renewed, or "
          + TRUST;
    }
    if (text.contains("subject alternative") || text.contains("no name matching")) {
      return "has a certificate for another name; correct the url to the name in it";
    }
    if (text.contains("unrecognized ssl message")
        || text.contains("remote host terminated the handshake")) {
      return "does not speak TLS; check the url's scheme and port";
    }
    return "offers no TLS version that is allowed here ("
        + AsciiLine.of(text, 120)
        + "); check its TLS settings";
  }

  private static <T extends Throwable> @Nullable T has(Throwable problem, Class<T> type) {
    return chain(problem).stream()
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst()
        .orElse(null);
  }

  private static List<Throwable> chain(Throwable problem) {
    var chain = new ArrayList<Throwable>();
    for (Throwable at = problem; at != null && chain.size() < 20; at = at.getCause()) {
      chain.add(at);
    }
    return chain;
  }
}
