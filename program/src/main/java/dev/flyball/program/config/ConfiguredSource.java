package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import org.jspecify.annotations.Nullable;

/**
 * One source: what the producer polls, and where sessions of its items work. Its components are the
 * keys of an entry in the list of sources.
 */
public record ConfiguredSource(SourceConfig source, Place place) {
  /**
   * Where sessions work.
   *
   * @param repository null for {@code sessions.repo}
   * @param token what the server of a repository by URL wants to see
   * @param branch of that repository; null for the folder as it is
   */
  public record Place(
      @ConfigKey(
              name = "repo",
              meaning =
                  "The repository that sessions of its items read, a folder or a URL; by default"
                      + " `sessions.repo`")
          @Nullable RepositoryAddress repository,
      @ConfigKey(
              name = "branch",
              matches =
                  "(?!.*(\\.\\.|//|/\\.|\\.lock(/|$)))[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}(?<![/.])",
              allowed = "a branch, for example main or release/1.2",
              meaning =
                  "The branch of it that they read; by default the folder as it is, of a URL the"
                      + " server's default branch")
          @Nullable String branch,
      @ConfigKey(
              name = "repo-token",
              meaning = "the token for the server of `repo`, where that is a URL")
          Credential token) {
    /** The folder of {@code sessions.repo} as it is. */
    public static final Place USUAL = new Place(null, null, new Credential.None());
  }
}
