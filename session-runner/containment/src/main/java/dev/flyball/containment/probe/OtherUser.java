package dev.flyball.containment.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import dev.flyball.containment.session.Spawner;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Starts agents as another user, inside any containment. Such an agent can neither signal the
 * runner or its supervisor, nor read the runner's files, nor become another user again.
 */
record OtherUser(Containment inner, AgentUser user) implements Containment {
  @Override
  public String toString() {
    return inner + " as " + user.name();
  }

  @Override
  public Level level() {
    return inner.level();
  }

  @Override
  public List<String> missing() {
    return inner.missing();
  }

  @Override
  public boolean networked() {
    return inner.networked();
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration end) throws IOException {
    // Checked for the agent, not for the program that changes the user.
    launch.check();
    var command = new ArrayList<String>();
    command.addAll(
        List.of(Spawner.program("setpriv"), "--reuid", user.uid(), "--regid", user.gid()));
    command.addAll(List.of("--init-groups", "--inh-caps=-all", "--no-new-privs", "--"));
    command.addAll(launch.command());
    var environment = new HashMap<>(launch.environment());
    environment.put("HOME", user.home());
    environment.put("USER", user.name());
    return inner.startUntil(
        new Launch(launch.session(), command, environment, launch.directory(), launch.prompt()),
        end);
  }

  /**
   * A user of this machine that agents run as.
   *
   * @param uid the user's number
   * @param gid the number of the user's group
   * @param home the user's home folder, which agents get as HOME
   */
  record AgentUser(String name, String uid, String gid, String home) {
    private static final int CAP_SYS_PTRACE = 19;
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /**
     * Finds a user in this machine's user database.
     *
     * @throws CannotStart if there is none of this name, or this process may not become another
     *     user
     */
    static AgentUser named(String name) throws IOException {
      requireRoot(System.getProperty("user.name", ""), name);
      if (!mayReadOthers()) {
        throw new CannotStart(
            "user",
            "sessions.user "
                + name
                + " needs CAP_SYS_PTRACE: without it the owner of an agent's processes cannot be"
                + " read; add it, or leave sessions.user empty");
      }
      return lookedUp(Spawner.program("getent"), name, LIMIT);
    }

    static void requireRoot(String own, String name) throws CannotStart {
      if (!own.equals("root")) {
        throw new CannotStart(
            "user",
            "sessions.user "
                + name
                + " needs a runner that runs as root; leave it empty, or be root");
      }
    }

    /** Runs this program; a name service that does not answer must not hold the start up. */
    static AgentUser lookedUp(String getent, String name, Duration limit) throws IOException {
      // A file, not a pipe: the end of a pipe comes only when its last writer ends.
      Path output = Files.createTempFile("flyball-user", ".txt");
      Process asked =
          new ProcessBuilder(getent, "passwd", "--", name)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .redirectOutput(output.toFile())
              .start();
      // Deleted when it is open at both ends: a process that is killed meanwhile leaves no file.
      try (var printed = Files.newInputStream(output, StandardOpenOption.DELETE_ON_CLOSE)) {
        if (!asked.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new CannotStart(
              "user",
              "sessions.user "
                  + name
                  + " was not looked up within "
                  + limit.toSeconds()
                  + " s: getent does not answer; repair the name service (/etc/nsswitch.conf), or"
                  + " leave sessions.user empty");
        }
        String[] fields = new String(printed.readAllBytes(), UTF_8).strip().split(":", -1);
        if (asked.exitValue() != 0 || fields.length < 7) {
          throw new CannotStart(
              "user", "there is no user " + name + " (sessions.user); make one with useradd");
        }
        return new AgentUser(fields[0], fields[2], fields[3], fields[5]);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CannotStart(
            "user", "interrupted while user " + name + " was looked up; start again");
      } finally {
        asked.descendants().forEach(ProcessHandle::destroyForcibly);
        asked.destroyForcibly();
      }
    }

    /** Whether this process's capabilities let it read the cookies of another user's processes. */
    private static boolean mayReadOthers() throws IOException {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("CapEff:"))
          .map(line -> new BigInteger(line.substring("CapEff:".length()).strip(), 16))
          .anyMatch(all -> all.testBit(CAP_SYS_PTRACE));
    }
  }
}
