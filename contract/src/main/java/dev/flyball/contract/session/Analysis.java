package dev.flyball.contract.session;

import dev.flyball.contract.item.Fingerprint;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The newest analysis of an item; the value of {@code analyses}.
 *
 * @param revision the item's revision that was analysed
 * @param fingerprint the fingerprint of the content that was analysed
 * @param commit the repository's head that the agent was given, null if it has none
 * @param text the answer
 * @param files the passages that the answer names
 * @param agent the adapter that produced it, for example {@code scout}
 * @param model the model that answered; null if none did, as for scout, or none is known
 * @param session the session's id
 * @param token its fencing token
 * @param at when the terminal event was written
 * @param profile name of the configured agent that was asked for; null for the default one
 * @param routedBy the rule that chose the profile, one line for a person
 * @param prompt name and version of the prompt's template, for example {@code deep/3}; null if the
 *     agent read no prompt
 */
public record Analysis(
    String revision,
    Fingerprint fingerprint,
    @Nullable String commit,
    String text,
    List<Passage> files,
    long costMicros,
    String agent,
    @Nullable String model,
    String session,
    String token,
    Instant at,
    @Nullable String profile,
    @Nullable String routedBy,
    @Nullable String prompt) {

  public Analysis {
    // Jackson sets a missing property to null, whatever the types declare. Code that met the null
    // later would stop there at every start.
    Objects.requireNonNull(revision, "property revision is missing");
    Objects.requireNonNull(fingerprint, "property fingerprint is missing");
    Objects.requireNonNull(text, "property text is missing");
    Objects.requireNonNull(agent, "property agent is missing");
    Objects.requireNonNull(session, "property session is missing");
    Objects.requireNonNull(token, "property token is missing");
    Objects.requireNonNull(at, "property at is missing");
    files = List.copyOf(Objects.requireNonNull(files, "property files is missing"));
  }

  /**
   * One place in the repository.
   *
   * @param path relative to the repository's root, forward slashes
   * @param fromLine first line, starting at 1
   * @param toLine last line, inclusive
   * @param excerpt the lines themselves, bounded
   */
  public record Passage(String path, int fromLine, int toLine, String excerpt) {

    /** The path and the lines, for example {@code src/Cart.java:31-46}. */
    public String place() {
      return path + ":" + fromLine + (toLine > fromLine ? "-" + toLine : "");
    }
  }
}
