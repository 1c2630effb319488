package dev.flyball.runner.execution;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.runner.prompt.Codebase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Where sessions work. Any thread. */
@FunctionalInterface
public interface Workplaces {

  /**
   * The place of a session for this item, for which it may have to wait: only before the agent's
   * clocks run.
   *
   * @throws IOException with one line if there is none
   */
  Workplace enter(ItemKey item) throws IOException;

  /**
   * One place.
   *
   * @param directory the agent's working directory
   * @param codebase what agents are told of it
   * @param leave run when the session has ended
   */
  record Workplace(Path directory, Supplier<Codebase> codebase, Runnable leave) {
    /** A folder that is there whether somebody works in it or not. */
    public static Workplace fixed(Path directory, Supplier<Codebase> codebase) {
      return new Workplace(directory, codebase, () -> {});
    }
  }
}
