package dev.flyball.program.cli;

import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * The current states of items, for a command that otherwise needs only Kafka. What the projection
 * does not know is left empty, and reported once.
 */
final class CurrentStates implements AutoCloseable {
  private final @Nullable Terminal terminal;
  private @Nullable ConsoleView view;
  private @Nullable ProjectionAge age;
  private boolean answered;

  private CurrentStates(@Nullable Terminal terminal) {
    this.terminal = terminal;
  }

  /** An instance that knows no item. */
  static CurrentStates nothing() {
    return new CurrentStates(null);
  }

  /** Reads the projection of the data folder, if a console ever ran there. */
  static CurrentStates of(Configuration configuration, Terminal terminal) {
    var states = new CurrentStates(terminal);
    try {
      states.view =
          ConsoleView.open(new AppConfigurations(configuration).console().data()).orElse(null);
      if (states.view != null) {
        states.age = ProjectionAge.of(states.view, configuration);
      }
    } catch (StartFailure e) {
      states.giveUp(e);
    }
    return states;
  }

  /** The name of an item's state; empty if nothing is known under this key. */
  String of(@Nullable String key) {
    if (key == null || view == null) {
      return "";
    }
    try {
      String state = view.state(key).orElse("");
      answered |= !state.isEmpty();
      return state;
    } catch (StartFailure e) {
      giveUp(e);
      return "";
    }
  }

  /** Prints on standard error how old the answers are, if there were any and they are old. */
  void reportAge() {
    if (answered && age != null && terminal != null) {
      age.report(terminal);
    }
  }

  private void giveUp(StartFailure e) {
    close();
    if (terminal != null) {
      terminal.note("column `now` is empty: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    if (view != null) {
      view.close();
      view = null;
    }
  }
}
