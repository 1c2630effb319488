package dev.flyball.ops.console.output;

import java.time.Instant;

/**
 * One line of an agent's output.
 *
 * @param stream {@code out}, {@code err}, or {@code gap}: then the line is ours and names what is
 *     missing here
 * @param line as it was published; a cut one ends with a mark
 */
public record OutputLine(Instant at, String stream, String line) {
  /** The stream of a line that names what is missing. */
  public static final String GAP = "gap";
}
