package dev.flyball.program.cli;

import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.KnownSession;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds a session by its name: an item's newest session, or the one whose id begins with the text.
 */
final class SessionName {
  private static final Pattern WHOLE = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private SessionName() {}

  /** The session; a whole id is taken unchanged where no console knows it. */
  static KnownSession find(Configuration configuration, String typed) {
    Optional<ConsoleView> found =
        ConsoleView.open(new AppConfigurations(configuration).console().data());
    if (found.isPresent()) {
      try (ConsoleView view = found.get()) {
        Optional<KnownSession> known = known(view, typed);
        if (known.isPresent()) {
          return known.get();
        }
      }
    }
    if (WHOLE.matcher(typed).matches()) {
      return new KnownSession(typed, "", null);
    }
    throw refused(
        "no session '"
            + typed
            + "' is known in "
            + configuration.path(Keys.DATA)
            + "; give an item, or the beginning of a session's id as ./flyball ps or item shows"
            + " it");
  }

  private static Optional<KnownSession> known(ConsoleView view, String typed) {
    String key = Answers.key(view, typed);
    if (view.item(key).isPresent()) {
      return Optional.of(
          view.newestSession(key)
              .orElseThrow(
                  () -> refused(key + " has had no session; ./flyball why " + key + " says why")));
    }
    List<KnownSession> sessions = view.sessions(typed);
    if (sessions.size() > 1) {
      throw refused("several sessions begin with '" + typed + "'; give more of the id");
    }
    return sessions.stream().findFirst();
  }

  private static ConfigurationError refused(String line) {
    return new ConfigurationError(List.of(line));
  }
}
