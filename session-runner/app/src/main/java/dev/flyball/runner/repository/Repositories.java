package dev.flyball.runner.repository;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which repository agents read.
 *
 * @param usual the repository of sources that name none ({@code sessions.repo})
 * @param bySource the repositories of all configured sources, by {@code tenant/source} ({@code
 *     sources[].repo}, {@code sources[].branch}). Items of other sources get no session: they could
 *     be analysed in the repository of another tenant. Where no source is configured, {@code usual}
 *     is for every item
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

  /**
   * The repository of a source's items; empty if it is not configured.
   *
   * @param source {@code tenant/source}
   * @param polledBy the source that read the items, null if it is the same. An items file may name
   *     any tenant and source
   */
  public Optional<OfSource> of(String source, @Nullable String polledBy) {
    if (bySource.isEmpty()) {
      return Optional.of(usual);
    }
    OfSource own = bySource.get(source);
    return Optional.ofNullable(own == null && polledBy != null ? bySource.get(polledBy) : own);
  }

  /** These repositories, with another source whose items are analysed in the usual one. */
  public Repositories with(String source) {
    if (bySource.isEmpty() || bySource.containsKey(source)) {
      return this;
    }
    var all = new HashMap<>(bySource);
    all.put(source, usual);
    return new Repositories(usual, all, fetches);
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
