package dev.flyball.program.cli;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Finds items and sessions in the console's projection in the data folder. */
final class Lookup {
  /** At most this many items of one id are named. */
  private static final int NAMED = 10;

  private static final Pattern SESSION =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private Lookup() {}

  /** The projection of a data folder. */
  static ConsoleView open(Configuration configuration) {
    return ifThere(configuration)
        .orElseThrow(() ->
            new StartFailure(
                "no data in "
                    + configuration.get(Keys.DATA)
                    + " yet; start ./flyball run or up, or name another folder with --data"));
  }

  static Optional<ConsoleView> ifThere(Configuration configuration) {
    return ConsoleView.open(new AppConfigurations(configuration).console().data());
  }

  /**
   * The item's key: a whole key unchanged, or the key of the only item with this bare id.
   *
   * @param keysOf the keys of the items with an id
   */
  static String key(Function<String, List<String>> keysOf, String name) {
    // No item has an empty id, as where a shell's variable is unset, and a console rejects it.
    if (name.isEmpty() || name.contains("/")) {
      return name;
    }
    List<String> keys = keysOf.apply(name);
    return switch (keys.size()) {
      case 0 -> name;
      case 1 -> keys.getFirst();
      default ->
          throw new ConfigurationError(
              "several items have the id "
                  + name
                  + ": "
                  + String.join(", ", keys.subList(0, Math.min(keys.size(), NAMED)))
                  + (keys.size() > NAMED ? " and " + (keys.size() - NAMED) + " more" : "")
                  + "; give the whole key");
    };
  }

  /** The same where the folder may have no projection. */
  static ItemKey item(Configuration configuration, String name) {
    String key = name;
    if (!name.contains("/")) {
      try (ConsoleView view = ifThere(configuration).orElse(null)) {
        key = view == null ? name : key(view::keysOf, name);
      }
      if (!key.contains("/")) {
        throw new StartFailure("no item '" + name + "' in the data folder; give tenant/source/id");
      }
    }
    try {
      return ItemKey.parse(key);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError("'" + name + "': " + e.getMessage());
    }
  }

  /** The error for a key without an item. */
  static StartFailure noItem(String key) {
    return new StartFailure("no item '" + key + "'; list items with ./flyball items");
  }

  /** Whether the item will still change without a change in its tracker. */
  static boolean unfinished(ItemRow item) {
    return item.waitingSince() != null;
  }

  /**
   * A session by its name: an item's newest session, or the one whose id begins with the text. A
   * whole id is taken unchanged where no console knows it.
   */
  static KnownSession session(Configuration configuration, String name) {
    try (ConsoleView view = ifThere(configuration).orElse(null)) {
      Optional<KnownSession> known = view == null ? Optional.empty() : session(view, name);
      if (known.isPresent()) {
        return known.get();
      }
    }
    if (SESSION.matcher(name).matches()) {
      return new KnownSession(name, "", null, false);
    }
    throw noSession(name, "in " + configuration.get(Keys.DATA));
  }

  /**
   * The error for a name without a session.
   *
   * @param where it was looked for
   */
  static StartFailure noSession(String name, String where) {
    return new StartFailure(
        "no session '"
            + name
            + "' "
            + where
            + "; give an item, or the first characters of a session id from ./flyball ps or item");
  }

  /** The error for an item that never had a session. */
  static StartFailure noSession(String key) {
    return new StartFailure(key + " has had no session; reason: ./flyball why " + key);
  }

  private static Optional<KnownSession> session(ConsoleView view, String name) {
    String key = key(view::keysOf, name);
    if (view.item(key).isPresent()) {
      return Optional.of(view.newestSession(key).orElseThrow(() -> noSession(key)));
    }
    List<KnownSession> sessions = view.sessions(name);
    if (sessions.size() > 1) {
      throw new ConfigurationError(
          "several sessions begin with '" + name + "'; give more characters of the id");
    }
    return sessions.stream().findFirst();
  }
}
