package dev.flyball.producer.change;

import dev.flyball.contract.item.Fingerprint;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was published of one item.
 *
 * @param digests of its snapshots, in their order
 * @param version of the newest snapshot's fingerprint
 * @param hash the newest published fingerprint's; null where it was not recorded
 * @param changedAt when the newest published snapshot was changed, by the tracker's clock; null
 *     where that is not known
 */
public record Known(
    List<String> digests, String version, @Nullable String hash, @Nullable Instant changedAt) {
  public Known {
    digests = List.copyOf(digests);
  }

  /** Whether this is the newest published fingerprint; false if that one is not known. */
  boolean says(Fingerprint fingerprint) {
    return version.equals(fingerprint.version()) && fingerprint.hash().equals(hash);
  }
}
