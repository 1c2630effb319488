package dev.flyball.runner.execution;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The folders in which sessions work. Any thread. */
@FunctionalInterface
public interface Workplaces {

  /**
   * Returns the workplace of a session for this item. This may take long, so it is called before
   * the agent's clocks run.
   *
   * @param polledBy the source that read the item, null if that is its own
   * @param writing hears before a tree is written how long that may take: a hung mount or server
   *     must be noticed before, within the time of any start
   * @throws IOException with a message of one line if there is none; {@link NoWorkplace} says whose
   *     fault that is
   */
  Workplace enter(ItemKey item, @Nullable String polledBy, Consumer<Duration> writing)
      throws IOException;

  /** There is no workplace: a fault of the runner, or of the settings of one source. */
  final class NoWorkplace extends IOException {
    private static final long serialVersionUID = 1L;

    private final String code;

    /**
     * Names the fault.
     *
     * @param code the code of its {@link Failure}
     */
    public NoWorkplace(String code, String message, @Nullable Throwable cause) {
      super(message, cause);
      this.code = code;
    }

    /** The code of its {@link Failure}. */
    public String code() {
      return code;
    }
  }

  /**
   * The workplace of one session.
   *
   * @param directory the agent's working directory
   * @param commit the commit that the session reads, null if the directory is in no repository
   * @param note a line about the state of the repository that the analysis repeats, for example
   *     that it is not the newest; null if there is nothing to say
   * @param codebase what the prompt includes of the repository; the call may take as long as
   *     reading it
   * @param temporary the session's own folder for temporary files, which {@code leave} removes;
   *     null if it uses that of the system
   * @param leave run when the session has ended
   */
  record Workplace(
      Path directory,
      @Nullable String commit,
      @Nullable String note,
      Supplier<String> codebase,
      @Nullable Path temporary,
      Runnable leave) {}
}
