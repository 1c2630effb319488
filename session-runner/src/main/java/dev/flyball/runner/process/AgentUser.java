package dev.flyball.runner.process;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A user of this machine that agents run as.
 *
 * @param uid its number
 * @param gid its group's number
 * @param home its home folder, which agents get as HOME
 */
record AgentUser(String name, String uid, String gid, String home) {
  private static final int CAP_SYS_PTRACE = 19;

  /**
   * Looks a user up where this machine keeps its users.
   *
   * @throws CannotStart if there is none of this name, or this process may not become another user
   */
  static AgentUser named(String name) throws IOException {
    if (!"root".equals(System.getProperty("user.name"))) {
      throw new CannotStart(
          "user",
          "sessions.user "
              + name
              + " needs a runner that runs as root; leave it empty, or be root");
    }
    if (!mayReadOthers()) {
      throw new CannotStart(
          "user",
          "sessions.user "
              + name
              + " needs CAP_SYS_PTRACE: without it nobody can tell whose processes agents are; add"
              + " it, or leave sessions.user empty");
    }
    Process getent =
        new ProcessBuilder(Tools.need("getent"), "passwd", "--", name)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var out = getent.getInputStream()) {
      String[] fields =
          new String(out.readAllBytes(), StandardCharsets.UTF_8).strip().split(":", -1);
      if (!getent.waitFor(5, TimeUnit.SECONDS) || getent.exitValue() != 0 || fields.length < 7) {
        throw new CannotStart(
            "user", "there is no user " + name + " (sessions.user); make one with useradd");
      }
      return new AgentUser(fields[0], fields[2], fields[3], fields[5]);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CannotStart("user", "interrupted while user " + name + " was looked up");
    } finally {
      getent.destroyForcibly();
    }
  }

  /** Whether cookies of another user's processes can be read, by this process's capabilities. */
  private static boolean mayReadOthers() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("CapEff:"))
        .map(line -> new BigInteger(line.substring("CapEff:".length()).strip(), 16))
        .anyMatch(all -> all.testBit(CAP_SYS_PTRACE));
  }
}
