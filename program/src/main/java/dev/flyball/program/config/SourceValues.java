package dev.flyball.program.config;

import dev.flyball.producer.ProducerConfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** How the values of a source's keys are written. */
final class SourceValues {
  private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final Pattern LOOPBACK = Pattern.compile("127(\\.[0-9]{1,3}){3}");

  /**
   * An address without user info, because that is a secret in a file that people share. No http,
   * because a network on the way could read the token.
   */
  static final ValueType<URI> URL =
      new ValueType<>(
          "an https address without user, query and fragment, %20 for a space (http only to this"
              + " machine itself: elsewhere the token could be read on its way)",
          text -> {
            URI uri = web(text);
            if (uri.getRawQuery() != null) {
              throw new IllegalArgumentException(text);
            }
            String whole = uri.toString();
            return URI.create(whole.endsWith("/") ? whole.substring(0, whole.length() - 1) : whole);
          });

  /** An address that may have parameters, because some receivers need them. */
  static final ValueType<URI> WEBHOOK =
      new ValueType<>(
          "an https address without user and fragment (http only to this machine itself)",
          SourceValues::web);

  static final ValueType<String> NAME = ValueType.matching("[a-z0-9-]+", "[a-z0-9-]+");

  /** A variable's name, short enough that hardly any secret passes for a name. */
  static final ValueType<String> VARIABLE =
      ValueType.matching(
          "the name of an environment variable, at most 32 letters, digits and _ (the secret itself"
              + " does not belong here)",
          "[A-Za-z_][A-Za-z0-9_]{0,31}");

  static final ValueType<String> GITHUB_REPOSITORY =
      ValueType.matching(
          "owner/name, for example apache/kafka", "[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}");

  static final ValueType<String> REDMINE_PROJECT =
      ValueType.matching(
          "a project's identifier, as in its address", "[A-Za-z0-9][A-Za-z0-9_-]{0,99}");

  /** A branch's name for git that no shell, option or address can take for something else. */
  static final ValueType<String> BRANCH =
      ValueType.matching(
          "a branch, for example main or release/1.2",
          "(?!.*(\\.\\.|//|/\\.|\\.lock(/|$)))[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}(?<![/.])");

  static final ValueType<List<String>> FIELDS =
      new ValueType<>(
          "some of " + String.join(", ", new TreeSet<>(ProducerConfig.FINGERPRINT_FIELDS)),
          text -> {
            List<String> names = ValueType.NAMES.parser().apply(text);
            if (names.isEmpty() || !ProducerConfig.FINGERPRINT_FIELDS.containsAll(names)) {
              throw new IllegalArgumentException(text);
            }
            return names;
          });

  private SourceValues() {}

  private static URI web(String text) {
    URI uri;
    try {
      uri = new URI(text.strip());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(text, e);
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
    boolean here = HERE.contains(host) || LOOPBACK.matcher(host).matches();
    if (host.isEmpty()
        || uri.getRawUserInfo() != null
        || uri.getRawFragment() != null
        || !(scheme.equals("https") || (scheme.equals("http") && here))) {
      throw new IllegalArgumentException(text);
    }
    return uri;
  }
}
