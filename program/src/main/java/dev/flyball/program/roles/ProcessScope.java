package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a process holds while it runs: its data folder, its log file, its signals. */
public final class ProcessScope implements AutoCloseable {
  private final List<DataLock> locks;
  private final Signals signals;
  private final Path log;

  private ProcessScope(List<DataLock> locks, Signals signals, Path log) {
    this.locks = locks;
    this.signals = signals;
    this.log = log;
  }

  /**
   * Locks the data folder as a whole, and every role's part of it: a role beside {@code up} would
   * write to the same files.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if it is locked or cannot be written
   */
  public static ProcessScope whole(Configuration configuration) {
    Path folder = configuration.path(Keys.DATA);
    var folders = new ArrayList<Path>(List.of(folder));
    for (Role role : Role.values()) {
      folders.add(folder.resolve(role.label()));
    }
    return of(configuration, folders);
  }

  /**
   * Locks one role's part of the data folder, so that several roles may share a folder but no role
   * runs twice in it.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if it is locked or cannot be written
   */
  public static ProcessScope of(Configuration configuration, Role role) {
    return of(configuration, List.of(configuration.path(Keys.DATA).resolve(role.label())));
  }

  private static ProcessScope of(Configuration configuration, List<Path> folders) {
    var locks = new ArrayList<DataLock>();
    try {
      folders.forEach(folder -> locks.add(DataLock.take(folder)));
    } catch (StartFailure e) {
      locks.forEach(DataLock::close);
      throw e;
    }
    Path log =
        LogFile.open(
            folders.getFirst(),
            configuration.get(Keys.LOG_LEVEL),
            configuration.get(Keys.LOG_FORMAT).equals("ecs"));
    return new ProcessScope(locks, Signals.caught(), log);
  }

  /** The signals of this process. */
  public Signals signals() {
    return signals;
  }

  /** The log file. */
  public Path log() {
    return log;
  }

  @Override
  public void close() {
    locks.forEach(DataLock::close);
  }
}
