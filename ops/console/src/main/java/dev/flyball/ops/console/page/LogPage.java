package dev.flyball.ops.console.page;

import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import java.util.List;

/**
 * The newest lines of a session's output.
 *
 * @param count lines read so far; those before the newest are not shown
 * @param place where the stream of further lines begins
 * @param problem why nothing could be read, empty if it could
 */
public record LogPage(
    KnownSession session, List<OutputLine> lines, long count, String place, String problem) {
  /** Most characters of a line. */
  public static final int LINE = 4_096;

  public LogPage {
    lines = List.copyOf(lines);
  }

  /** The address of the stream that goes on after these lines. */
  public String stream() {
    return PageLinks.log(session.session()) + "&follow=" + place;
  }

  /** The beginning of the session's id, which commands take. */
  public String name() {
    return Display.line(session.session(), 8 + 3).replaceAll("(.{8}).*", "$1");
  }
}
