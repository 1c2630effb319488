package dev.flyball.program.config;

import dev.flyball.runner.Repositories;
import dev.flyball.runner.Repositories.OfSource;
import dev.flyball.runner.repository.MirrorLimits;
import dev.flyball.runner.repository.RepositoryToken;
import dev.flyball.tracker.Credential;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** Which repository the sessions of each source read, made from the keys. */
public final class ConfiguredRepositories {
  private ConfiguredRepositories() {}

  /** The repository of {@code sessions.repo}, and that of each source. */
  static Repositories of(
      Configuration configuration, List<ConfiguredSource> sources, MirrorLimits fetches) {
    OfSource usual = usual(configuration);
    var bySource = new HashMap<String, OfSource>();
    for (ConfiguredSource source : sources) {
      boolean own = !source.place().equals(ConfiguredSource.Place.USUAL);
      bySource.put(source.source().key(), own ? of(source.place(), usual) : usual);
    }
    return new Repositories(usual, bySource, fetches);
  }

  private static OfSource of(ConfiguredSource.Place place, OfSource usual) {
    Optional<String> branch = Optional.ofNullable(place.branch());
    return place.repository() == null
        ? new OfSource(usual.address(), branch, usual.token())
        : new OfSource(place.repository(), branch, token(place.token()));
  }

  private static OfSource usual(Configuration configuration) {
    var token =
        new RepositoryToken(
            configuration.find(Keys.REPO_TOKEN_ENV).orElse(null),
            configuration.find(Keys.REPO_TOKEN_FILE).isPresent()
                ? configuration.path(Keys.REPO_TOKEN_FILE)
                : null);
    return new OfSource(configuration.repository(), Optional.empty(), token);
  }

  private static RepositoryToken token(Credential credential) {
    return switch (credential) {
      // Only a tracker's token may be printed by a command.
      case Credential.None _, Credential.Command _ -> RepositoryToken.NONE;
      case Credential.Environment environment -> new RepositoryToken(environment.variable(), null);
      case Credential.InFile file -> new RepositoryToken(null, file.file());
    };
  }
}
