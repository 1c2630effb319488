package dev.flyball.ops.console.output;

import dev.flyball.contract.session.OutputChunk;
import java.util.ArrayList;
import java.util.List;

/**
 * Chunks of one session as lines, in the order in which the runner numbered them. A line marks
 * where chunks are missing, for example after retention deleted them. A chunk that was sent twice
 * is returned once. One thread.
 */
final class OrderedLines {
  private long next;

  /**
   * @param next the number of the chunk that comes first; 0 at the beginning
   */
  OrderedLines(long next) {
    this.next = next;
  }

  /** The number of the chunk that comes next. */
  long next() {
    return next;
  }

  /** The lines of the next chunk that was read. */
  List<OutputLine> take(OutputChunk chunk) {
    if (chunk.seq() < next) {
      return List.of();
    }
    var lines = new ArrayList<OutputLine>();
    if (chunk.seq() > next) {
      lines.add(new OutputLine(chunk.at(), OutputLine.GAP, missing(chunk.seq() - next)));
    }
    next = chunk.seq() + 1;
    chunk.lines().forEach(line -> lines.add(new OutputLine(chunk.at(), chunk.stream(), line)));
    return lines;
  }

  private String missing(long chunks) {
    return next == 0
        ? "[the beginning is no longer kept]"
        : "[" + chunks + (chunks == 1 ? " chunk is" : " chunks are") + " missing]";
  }
}
