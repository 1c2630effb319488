package dev.flyball.runner;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.runner.repository.MirrorLimits;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.runner.repository.RepositoryToken;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which repository agents read.
 *
 * @param usual the repository of every item whose source names none ({@code sessions.repo})
 * @param bySource the repositories of sources, by {@code tenant/source} ({@code sources[].repo},
 *     {@code sources[].branch})
 * @param fetches the bounds of fetches of repositories by URL ({@code sessions.fetch.*})
 */
public record Repositories(OfSource usual, Map<String, OfSource> bySource, MirrorLimits fetches) {

  public Repositories {
    bySource = Map.copyOf(bySource);
  }

  /** One folder for all sources. */
  public static Repositories only(Path usual) {
    return new Repositories(OfSource.in(usual, null), Map.of(), MirrorLimits.DEFAULT);
  }

  /** The repository of an item. */
  OfSource of(ItemKey item) {
    return bySource.getOrDefault(item.tenant() + "/" + item.source(), usual);
  }

  /**
   * The repository of one source.
   *
   * @param address where it is
   * @param branch the branch whose newest commit is read; empty for a folder as it is, or for the
   *     default branch of a URL
   * @param token what a URL's server wants to see
   */
  public record OfSource(
      RepositoryAddress address, Optional<String> branch, RepositoryToken token) {

    /** A folder as it is, or a branch of it. */
    public static OfSource in(Path folder, @Nullable String branch) {
      return new OfSource(
          new RepositoryAddress.Folder(folder), Optional.ofNullable(branch), RepositoryToken.NONE);
    }
  }
}
