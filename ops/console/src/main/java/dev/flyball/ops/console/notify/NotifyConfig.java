package dev.flyball.ops.console.notify;

import dev.flyball.contract.config.ConfigKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of notifications.
 *
 * @param targets where they go; none: nothing is read
 */
public record NotifyConfig(List<NotifyTarget> targets, Limits limits) {
  /** More are a mistake: the place of each is kept with the position of the group. */
  public static final int MOST_TARGETS = 20;

  public NotifyConfig {
    targets = List.copyOf(targets);
    if (targets.size() > MOST_TARGETS) {
      throw new IllegalArgumentException(
          "notify: " + targets.size() + " targets, at most " + MOST_TARGETS + " are possible");
    }
  }

  /** What all targets share. */
  public record Limits(
      @ConfigKey(
              name = "notify.rate",
              from = 1,
              to = 10_000,
              meaning =
                  "Most messages to one target in an hour, all of which may come together. One"
                      + " message sums up what was held back")
          int perHour,
      @ConfigKey(
              name = "notify.repeat",
              meaning =
                  "How long the same kind of notification about the same subject is not sent again"
                      + " to a target")
          Duration repeat,
      @ConfigKey(
              name = "console.url",
              matches = "https?://[A-Za-z0-9.:_\\[\\]-]+(/[A-Za-z0-9._~%/-]*)?",
              allowed = "an http or https address without user, query and fragment",
              meaning =
                  "Address of the console as people reach it, for links in notifications. Unset: no"
                      + " links. With https, browsers that are signed in use TLS only")
          @Nullable String consoleUrl) {
    /** The limits unless configured. */
    public static final Limits DEFAULT = new Limits(20, Duration.ofHours(1), null);
  }

  /** Notifies of nothing. */
  public static NotifyConfig none() {
    return new NotifyConfig(List.of(), Limits.DEFAULT);
  }

  /** The console's address for links, without a slash at the end; empty for no links. */
  String console() {
    String url = limits.consoleUrl();
    return url == null ? "" : url.replaceAll("/+$", "");
  }
}
