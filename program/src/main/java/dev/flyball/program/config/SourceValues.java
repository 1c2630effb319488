package dev.flyball.program.config;

import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.OptIn;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** How the values of a source's keys are written. */
final class SourceValues {
  private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final Pattern LOOPBACK = Pattern.compile("127(\\.[0-9]{1,3}){3}");

  private static final Map<String, Object> ADDRESS =
      Map.of("type", "string", "pattern", "^ *[Hh][Tt][Tt][Pp][Ss]?://.+$");

  /**
   * An address without user info, because that is a secret in a file that people share. No http,
   * because a network on the way could read the token.
   */
  static final ValueType<URI> URL =
      new ValueType<>(
          "an https address without user, query and fragment, %20 for a space (http only to this"
              + " machine itself: elsewhere the token could be read on its way)",
          ADDRESS,
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
          ADDRESS,
          SourceValues::web);

  /** The address of a receiver of notifications. */
  static final ValueType<HookAddress> HOOK =
      new ValueType<>(HookAddress.ALLOWED, ADDRESS, HookAddress::parse);

  static final ValueType<RepositoryAddress> REPOSITORY =
      new ValueType<>(
          RepositoryAddress.ALLOWED,
          Map.of("type", "string", "minLength", 1),
          RepositoryAddress::parse);

  static final ValueType<OptIn.Start> START =
      new ValueType<>(
          "now, all, or a date or time, for example 2026-11-01 or 2026-11-01T08:00:00Z",
          Map.of("type", "string", "pattern", "^(now|all|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$"),
          text ->
              switch (text.strip()) {
                case "now" -> new OptIn.Start.Now();
                case "all" -> new OptIn.Start.All();
                default -> new OptIn.Start.At(time(text.strip()));
              });

  /** A variable's name, short enough that hardly any secret passes for a name. */
  static final ValueType<String> VARIABLE =
      ValueType.matching(
          "the name of an environment variable, at most 32 letters, digits and _ (the secret itself"
              + " does not belong here)",
          "[A-Za-z_][A-Za-z0-9_]{0,31}");

  private SourceValues() {}

  /** A value that was not accepted, as an error message may show it: it may contain a secret. */
  static String rejected(ValueType<?> type, String raw) {
    boolean hidden = type.equals(REPOSITORY) && raw.matches("(?s).*[@?#].*");
    return hidden || type.equals(VARIABLE) || type.equals(WEBHOOK) || type.equals(HOOK)
        ? "(hidden)"
        : raw.replaceAll("//[^/@]*@", "//(hidden)@");
  }

  /** A value as {@code config} shows it. The address of a webhook often is its secret. */
  static String shown(ValueType<?> type, String raw) {
    if (type.equals(HOOK)) {
      return HOOK.parser().apply(raw).toString();
    }
    if (!type.equals(WEBHOOK)) {
      return raw;
    }
    URI uri = WEBHOOK.parser().apply(raw);
    return uri.getScheme() + "://" + uri.getRawAuthority() + "/(hidden)";
  }

  /** A time with its offset, or the beginning of a day in UTC. */
  private static Instant time(String text) {
    try {
      return text.contains("T")
          ? OffsetDateTime.parse(text).toInstant()
          : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** Whether an address is one of this machine itself, so that no network can read what is sent. */
  static boolean isHere(URI address) {
    String host = String.valueOf(address.getHost()).toLowerCase(Locale.ROOT);
    return HERE.contains(host) || LOOPBACK.matcher(host).matches();
  }

  private static URI web(String text) {
    URI uri;
    try {
      uri = new URI(text.strip());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(text, e);
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
    if (host.isEmpty()
        || uri.getRawUserInfo() != null
        || uri.getRawFragment() != null
        || !(scheme.equals("https") || (scheme.equals("http") && isHere(uri)))) {
      throw new IllegalArgumentException(text);
    }
    return uri;
  }
}
