package dev.flyball.runner.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A user of this machine that agents run as.
 *
 * @param uid its number
 * @param gid its group's number
 * @param home its home folder, which agents get as HOME
 */
record AgentUser(String name, String uid, String gid, String home) {

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
}
