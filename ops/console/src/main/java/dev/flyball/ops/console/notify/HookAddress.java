package dev.flyball.ops.console.notify;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The address of a receiver. Often it is a secret itself, so messages show its host only.
 *
 * @param uri http or https, without user and fragment
 */
public record HookAddress(URI uri) {
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\]");

  /** What a person may write. */
  public static final String ALLOWED =
      "an https address without user and fragment (http only to this machine itself, or with"
          + " `insecure: true`)";

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException if it is none; the message does not show it
   */
  public static HookAddress parse(String text) {
    URI uri;
    try {
      uri = new URI(text.strip());
    } catch (URISyntaxException e) {
      // Its message quotes the address.
      throw new IllegalArgumentException("the address is not " + ALLOWED);
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    if (uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawFragment() != null
        || !(scheme.equals("https") || scheme.equals("http"))) {
      throw new IllegalArgumentException("the address is not " + ALLOWED);
    }
    return new HookAddress(uri);
  }

  /** Whether no network on the way can read what is sent. */
  public boolean isSafe() {
    String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
    return "https".equalsIgnoreCase(uri.getScheme()) || LOOPBACK.matcher(host).matches();
  }

  /**
   * This address, if it is safe or does not have to be.
   *
   * @throws IllegalArgumentException otherwise
   */
  public HookAddress checked(boolean insecure) {
    if (insecure || isSafe()) {
      return this;
    }
    throw new IllegalArgumentException("url is not " + ALLOWED);
  }

  @Override
  public String toString() {
    return uri.getScheme() + "://" + uri.getRawAuthority() + "/(hidden)";
  }
}
