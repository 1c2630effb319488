package dev.flyball.ops.console.notify;

import dev.flyball.contract.config.ConfigKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of notifications.
 *
 * @param targets where they go; none: nothing is read
 */
public record NotifyConfig(List<NotifyTarget> targets, Links links) {
  /** More are a mistake. */
  public static final int MOST_TARGETS = 20;

  public NotifyConfig {
    targets = List.copyOf(targets);
    if (targets.size() > MOST_TARGETS) {
      throw new IllegalArgumentException(
          "notify: " + targets.size() + " targets, at most " + MOST_TARGETS + " are possible");
    }
  }

  /** What links lead to. */
  public record Links(
      @ConfigKey(
              name = "console.url",
              matches = "https?://[A-Za-z0-9.:_\\[\\]-]+(/[A-Za-z0-9._~%/-]*)?",
              allowed = "an http or https address without user, query and fragment",
              meaning =
                  "Address of the console as people reach it, for links in notifications. Unset: no"
                      + " links. With https, browsers that are signed in use TLS only")
          @Nullable String consoleUrl) {
    /** No links. */
    public static final Links NONE = new Links(null);
  }

  /** Notifies of nothing. */
  public static NotifyConfig none() {
    return new NotifyConfig(List.of(), Links.NONE);
  }

  /** The console's address for links, without a slash at the end; empty for no links. */
  String console() {
    String url = links.consoleUrl();
    return url == null ? "" : url.replaceAll("/+$", "");
  }
}
