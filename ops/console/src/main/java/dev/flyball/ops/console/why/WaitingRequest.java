package dev.flyball.ops.console.why;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request that waits for a session, with what the ledger needs to judge it.
 *
 * @param request its id
 * @param provider its model's provider, null for an agent without one
 * @param ahead requests of its tenant that runners would claim before it
 */
public record WaitingRequest(String request, @Nullable String provider, List<Ahead> ahead) {
  public WaitingRequest {
    ahead = List.copyOf(ahead);
  }

  /**
   * Requests of one source, provider and profile that come earlier.
   *
   * @param source {@code tenant/source}
   */
  public record Ahead(String source, @Nullable String provider, String profile, long count) {}
}
