package dev.flyball.program.cli;

import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import java.util.List;

/** Opens the console's projection in the data folder, and finds items in it. */
final class Answers {
  /** At most this many items of one id are named. */
  private static final int NAMED = 10;

  private Answers() {}

  /** The projection of a data folder. */
  static ConsoleView open(Configuration configuration) {
    var path = new AppConfigurations(configuration).console().data();
    return ConsoleView.open(path)
        .orElseThrow(() ->
            new StartFailure(
                "nothing is known in "
                    + configuration.path(Keys.DATA)
                    + " yet; process something with `run` or `up`, or name another folder with"
                    + " --data"));
  }

  /** The item's key: a whole key unchanged, or the key of the only item with this bare id. */
  static String key(ConsoleView view, String typed) {
    if (typed.contains("/")) {
      return typed;
    }
    List<String> keys = view.keysOf(typed);
    return switch (keys.size()) {
      case 0 -> typed;
      case 1 -> keys.getFirst();
      default ->
          throw refused(
              "several items have the id "
                  + typed
                  + ": "
                  + String.join(", ", keys.subList(0, Math.min(keys.size(), NAMED)))
                  + (keys.size() > NAMED ? " and " + (keys.size() - NAMED) + " more" : "")
                  + "; give the whole key");
    };
  }

  /** Whether the item will still change by itself: then an old answer misleads. */
  static boolean unfinished(ItemRow item) {
    return item.waitingSince() != null;
  }

  /** The error for a key without an item. */
  static ConfigurationError unknown(String key) {
    return refused(noItem(key));
  }

  private static ConfigurationError refused(String line) {
    return new ConfigurationError(List.of(line));
  }

  /** The same error as a line of text. */
  static String noItem(String key) {
    return "no item '" + key + "'; `./flyball items` lists all";
  }
}
