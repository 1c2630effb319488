package dev.flyball.runner.repository;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Where a repository is: a folder of this machine, or a URL from which it is fetched. */
public sealed interface RepositoryAddress {
  /** What a person may write. */
  String ALLOWED =
      "a folder, or an https, ssh or file URL without password, query and fragment (http only to"
          + " this machine itself; repo-token-env names the variable with a token)";

  /** A folder that is read as it is, or whose branch is. */
  record Folder(Path path) implements RepositoryAddress {
    @Override
    public String toString() {
      return path.toString();
    }
  }

  /** A URL, which is mirrored in the data folder. */
  record Url(String url) implements RepositoryAddress {
    private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");

    /** Checks the URL; the message of an error has no part of it that may be a secret. */
    public Url {
      URI uri;
      try {
        uri = new URI(url);
      } catch (URISyntaxException e) {
        throw new IllegalArgumentException("a repository's address is no URL", e);
      }
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      String user = uri.getRawUserInfo();
      boolean named = uri.getHost() != null && !uri.getHost().isEmpty();
      boolean secret =
          uri.getRawQuery() != null
              || uri.getRawFragment() != null
              || (user != null && (!scheme.equals("ssh") || user.contains(":")));
      boolean allowed =
          switch (scheme) {
            case "https", "ssh" -> named;
            case "http" -> named && HERE.contains(uri.getHost().toLowerCase(Locale.ROOT));
            case "file" -> uri.getPath() != null && uri.getPath().length() > 1;
            default -> false;
          };
      if (secret || !allowed || url.startsWith("-")) {
        throw new IllegalArgumentException("a repository's address must be " + ALLOWED);
      }
    }

    @Override
    public String toString() {
      return url;
    }
  }

  /** A text that has a scheme is a URL; any other is a folder. */
  Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/.*");

  /** What scp and git take for a host and a path, and what is a folder here: it would not exist. */
  Pattern SCP = Pattern.compile("[^/:]+@[^/:]+:.*");

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException if it is not {@link #ALLOWED}
   */
  static RepositoryAddress parse(String text) {
    if (text.isBlank() || text.indexOf('\0') >= 0 || SCP.matcher(text).matches()) {
      throw new IllegalArgumentException("a repository's address must be " + ALLOWED);
    }
    return SCHEME.matcher(text).matches() ? new Url(text.strip()) : new Folder(Path.of(text));
  }
}
