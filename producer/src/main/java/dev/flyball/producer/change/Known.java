package dev.flyball.producer.change;

import java.util.List;

/**
 * What was published of one item.
 *
 * @param digests of its snapshots, in their order
 * @param version of the newest snapshot's fingerprint
 */
public record Known(List<String> digests, String version) {
  public Known {
    digests = List.copyOf(digests);
  }
}
