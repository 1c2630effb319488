package dev.flyball.contract.session;

import java.time.Instant;
import java.util.List;

/**
 * Some lines of an agent's own output, secrets redacted; a value of {@code session-output}, keyed
 * by the session id.
 *
 * @param token the session's fencing token
 * @param seq number of the chunk within its session, from 0
 * @param stream {@code out} or {@code err}
 * @param lines without line ends; a line cut at its limit ends with a mark
 */
public record OutputChunk(String token, long seq, String stream, Instant at, List<String> lines) {
  public OutputChunk {
    lines = List.copyOf(lines);
  }
}
