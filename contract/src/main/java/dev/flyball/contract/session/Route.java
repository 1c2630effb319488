package dev.flyball.contract.session;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which configured agent an item's request asks for, and why.
 *
 * @param profile the name of the agent's profile
 * @param by the rule that chose it, one line for a person; null where no rules are configured
 * @param provider scope of rate limits of its sessions; null for an agent without one
 */
public record Route(String profile, @Nullable String by, @Nullable String provider) {
  /** The profile of requests that no rule sends elsewhere. */
  public static final String DEFAULT = "default";

  /** To the default profile, of an agent without a provider. */
  public static final Route USUAL = new Route(DEFAULT, null, null);

  public Route {
    Objects.requireNonNull(profile, "property profile is missing");
  }
}
