package dev.flyball.ops.console.output;

import java.util.List;

/**
 * A part of a session's output, for a program that reads on where it ends.
 *
 * @param session the whole id
 * @param item whose session it is
 * @param next the place at which the next part begins
 * @param more whether further lines are kept already
 * @param live whether the session was live before the lines were read, so that more may come
 */
public record OutputPart(
    String session, String item, List<OutputLine> lines, String next, boolean more, boolean live) {
  public OutputPart {
    lines = List.copyOf(lines);
  }
}
