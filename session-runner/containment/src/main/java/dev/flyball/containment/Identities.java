package dev.flyball.containment;

import dev.flyball.containment.ContainedProcess.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Identifies processes on this machine since this boot. */
public final class Identities {
  private static final String BOOT = bootId();
  private static final String NAMESPACE = namespace();

  private Identities() {}

  /** This JVM. */
  public static Identity own() {
    return of((int) ProcessHandle.current().pid());
  }

  /** Whether exactly this process lives, in this boot and this PID namespace. */
  public static boolean alive(Identity identity) {
    return identity.bootId().equals(BOOT)
        && identity.pidNamespace().equals(NAMESPACE)
        && ProcessTable.entry((int) identity.pid())
            .filter(e -> e.startTicks() == identity.startTicks() && e.alive())
            .isPresent();
  }

  /** Identifies a process that this JVM has started; start time 0 if it has already exited. */
  static Identity of(int pid) {
    long ticks = ProcessTable.entry(pid).map(ProcessTable.Entry::startTicks).orElse(0L);
    return new Identity(pid, ticks, BOOT, NAMESPACE);
  }

  private static String bootId() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }

  private static String namespace() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
