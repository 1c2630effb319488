package dev.flyball.runner.repository;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.transport.CredentialsProvider;
import org.eclipse.jgit.transport.RemoteSession;
import org.eclipse.jgit.transport.SshSessionFactory;
import org.eclipse.jgit.transport.URIish;
import org.eclipse.jgit.util.FS;
import org.jspecify.annotations.Nullable;

/**
 * Connects by the machine's {@code ssh}, with the keys and known hosts of the runner's user. It
 * never asks: no password, no unknown host. The program ends with its connection, also when the
 * runner dies, because its standard input ends.
 */
final class SshProgram extends SshSessionFactory {
  /**
   * The variables that ssh gets. The user's configuration may name other programs, and the runner's
   * environment has the tokens of all trackers and providers.
   */
  private static final Set<String> KEPT =
      Set.of("PATH", "HOME", "USER", "LOGNAME", "LANG", "SSH_AUTH_SOCK", "KRB5CCNAME");

  private final MirrorLimits limits;

  SshProgram(MirrorLimits limits) {
    this.limits = limits;
  }

  @Override
  public RemoteSession getSession(
      URIish uri, @Nullable CredentialsProvider provider, FS files, int timeoutMs) {
    return new Connection(command(uri, limits.silence()), limits.limit());
  }

  @Override
  public String getType() {
    return "ssh";
  }

  /** The command without the part that runs at the server. */
  static List<String> command(URIish uri, Duration silence) {
    var command = new ArrayList<>(List.of("ssh", "-T", "-oBatchMode=yes"));
    command.add("-oConnectTimeout=" + silence.toSeconds());
    command.add("-oServerAliveInterval=" + silence.toSeconds());
    command.add("-oServerAliveCountMax=1");
    if (uri.getPort() > 0) {
      command.addAll(List.of("-p", Integer.toString(uri.getPort())));
    }
    if (uri.getUser() != null) {
      command.addAll(List.of("-l", uri.getUser()));
    }
    command.addAll(List.of("--", uri.getHost()));
    return command;
  }

  /** Removes every variable that ssh does not need. */
  static void withoutSecrets(Map<String, String> environment) {
    var _ = environment.keySet().retainAll(KEPT);
  }

  private static final class Connection implements RemoteSession {
    private final List<String> command;
    private final Duration limit;
    private final List<Process> started = new ArrayList<>();

    Connection(List<String> command, Duration limit) {
      this.command = command;
      this.limit = limit;
    }

    @Override
    public synchronized Process exec(String remote, int timeout) throws IOException {
      var whole = new ArrayList<>(command);
      whole.add(remote);
      var builder = new ProcessBuilder(whole);
      withoutSecrets(builder.environment());
      Process process = builder.start();
      started.add(process);
      // Also when the connection goes on but no fetch reads from it any more.
      var _ =
          process
              .onExit()
              .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
              .exceptionally(late -> process.destroyForcibly());
      return process;
    }

    @Override
    public synchronized void disconnect() {
      started.forEach(Process::destroyForcibly);
    }
  }
}
