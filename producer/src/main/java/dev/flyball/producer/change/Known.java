package dev.flyball.producer.change;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was published of one item.
 *
 * @param digests of its snapshots, in their order
 * @param version of the newest snapshot's fingerprint
 * @param changedAt when the newest published snapshot was changed, by the tracker's clock; null
 *     where that is not known
 */
public record Known(List<String> digests, String version, @Nullable Instant changedAt) {
  public Known {
    digests = List.copyOf(digests);
  }
}
