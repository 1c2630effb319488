package dev.flyball.runner;

import dev.flyball.contract.item.ItemKey;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Which repository agents read.
 *
 * @param usual the repository of every item whose source names none ({@code sessions.repo})
 * @param bySource the repositories of sources, by {@code tenant/source} ({@code sources[].repo},
 *     {@code sources[].branch})
 */
public record Repositories(Path usual, Map<String, OfSource> bySource) {

  public Repositories {
    bySource = Map.copyOf(bySource);
  }

  /** One repository for all sources. */
  public static Repositories only(Path usual) {
    return new Repositories(usual, Map.of());
  }

  /** The repository of an item. */
  OfSource of(ItemKey item) {
    OfSource own = bySource.get(item.tenant() + "/" + item.source());
    return own == null ? new OfSource(usual, Optional.empty()) : own;
  }

  /**
   * The repository of one source.
   *
   * @param folder the repository
   * @param branch the branch whose newest commit is read; empty for the folder as it is
   */
  public record OfSource(Path folder, Optional<String> branch) {}
}
