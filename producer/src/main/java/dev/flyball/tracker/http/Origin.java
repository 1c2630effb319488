package dev.flyball.tracker.http;

import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a tracker lives: the only scheme, host and port to which its token is sent.
 *
 * @param base its root as configured
 */
record Origin(URI base) {

  /**
   * The address of a path of the tracker, or a whole address if it belongs to the tracker.
   *
   * @throws SourceFailure if it does not belong to the tracker
   */
  URI address(String path) {
    if (!isHttp(base)) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "the tracker's url is no http or https address with a host; correct the url");
    }
    URI address = parsed(path.startsWith("/") ? root() + path : path).orElse(null);
    if (address == null || !isHttp(address)) {
      throw new SourceFailure(
          Category.MALFORMED,
          base.getHost()
              + " is to be asked for something that is no address;"
              + " correct url, project and query");
    }
    if (!isOurs(address)) {
      throw new SourceFailure(
          Category.MALFORMED,
          AsciiLine.of(
              named(base)
                  + " links to "
                  + named(address)
                  + " for more, where the token does not go; correct the url"));
    }
    return address;
  }

  /**
   * The address to which a redirect leads; only a request that reads may be repeated there.
   *
   * @throws SourceFailure if the redirect must not be followed
   */
  URI redirect(RawResponse received, Exchange exchange) {
    URI from = exchange.address();
    String location = received.header("Location").orElse("");
    URI to = parsed(location).map(from::resolve).orElse(null);
    if (to == null || !isHttp(to)) {
      throw exchange.failure(
          Category.MALFORMED,
          "sends us on to no address (" + received.status() + "); correct the url");
    }
    if (isOurs(to) && exchange.reads()) {
      return to;
    }
    boolean signIn =
        to.getPath() != null
            && to.getPath()
                .toLowerCase(Locale.ROOT)
                .matches(".*(sign_?-?in|log_?-?in|oauth|saml).*");
    String mend =
        signIn
            ? "is the token valid, the url right?"
            : "correct the url to the address that answers";
    throw exchange.failure(
        signIn ? Category.AUTH : Category.NOT_FOUND,
        "sends us on to " + named(to) + ", where the token does not go; " + mend);
  }

  private String root() {
    String path = base.getRawPath() == null ? "" : base.getRawPath();
    return base.getScheme() + "://" + base.getRawAuthority() + path.replaceAll("/+$", "");
  }

  private boolean isOurs(URI address) {
    return address.getScheme().equalsIgnoreCase(base.getScheme())
        && address.getHost().equalsIgnoreCase(base.getHost())
        && port(address) == port(base);
  }

  private static int port(URI address) {
    if (address.getPort() >= 0) {
      return address.getPort();
    }
    return address.getScheme().equalsIgnoreCase("https") ? 443 : 80;
  }

  private static boolean isHttp(@Nullable URI address) {
    return address != null
        && address.getHost() != null
        && address.getScheme() != null
        && address.getScheme().toLowerCase(Locale.ROOT).matches("https?");
  }

  private static Optional<URI> parsed(String text) {
    try {
      return Optional.of(URI.create(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Scheme, host and port, for the comparison. */
  private static String named(URI address) {
    return address.getScheme()
        + "://"
        + address.getHost()
        + (address.getPort() < 0 ? "" : ":" + address.getPort());
  }
}
