package dev.flyball.runner.repository;

import dev.flyball.runner.repository.Repositories.OfSource;
import dev.flyball.scout.QuietGit;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.Proxy;
import java.net.URL;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.TransportCommand;
import org.eclipse.jgit.api.errors.GitAPIException;
import org.eclipse.jgit.lib.ProgressMonitor;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.SshTransport;
import org.eclipse.jgit.transport.TagOpt;
import org.eclipse.jgit.transport.TransportHttp;
import org.eclipse.jgit.transport.UsernamePasswordCredentialsProvider;
import org.eclipse.jgit.transport.http.HttpConnection;
import org.eclipse.jgit.transport.http.HttpConnectionFactory;
import org.eclipse.jgit.transport.http.JDKHttpConnection;

/**
 * The server of a repository by URL, asked by JGit: no git process, no helper that asks for a
 * password, no configuration of the user. The token is sent only to the URL's own server, which
 * must not redirect, and is written nowhere.
 *
 * @param of the repository, by URL
 * @param environment where a token's variable is looked up
 */
public record GitServer(OfSource of, MirrorLimits limits, Map<String, String> environment) {

  public GitServer {
    environment = Map.copyOf(environment);
    QuietGit.install();
  }

  String url() {
    return of.address().toString();
  }

  String ref() {
    return of.branch().map(name -> "refs/heads/" + name).orElse("HEAD");
  }

  /**
   * The newest commit of the branch, which is not fetched.
   *
   * @throws IOException with a message of one line if there is none
   */
  public String newest() throws IOException {
    long begun = System.nanoTime();
    BooleanSupplier late = () -> System.nanoTime() - begun > limits.patience().toNanos();
    try {
      Ref found = asked(Git.lsRemoteRepository().setRemote(url()), late).callAsMap().get(ref());
      if (found == null || found.getObjectId() == null) {
        throw new IOException("the server has no " + ref());
      }
      return found.getObjectId().name();
    } catch (GitAPIException | RuntimeException e) {
      throw new IOException(reason(e), e);
    }
  }

  /**
   * Fetches the branch's newest 50 commits, of which scout names those that touched its files.
   *
   * @param branch the name that it gets
   * @param bounds end the fetch
   * @return whether the branch is at another commit than before
   * @throws IOException with a message of one line
   */
  boolean fetch(Repository into, String branch, ProgressMonitor bounds) throws IOException {
    try (Git git = new Git(into)) {
      var fetch =
          git.fetch()
              .setRemote(url())
              .setRefSpecs(new RefSpec("+" + ref() + ":refs/heads/" + branch))
              .setDepth(50)
              .setTagOpt(TagOpt.NO_TAGS)
              .setProgressMonitor(bounds);
      return !asked(fetch, bounds::isCancelled).call().getTrackingRefUpdates().isEmpty();
    } catch (GitAPIException | RuntimeException e) {
      throw new IOException(reason(e), e);
    }
  }

  private <C extends TransportCommand<C, ?>> C asked(C command, BooleanSupplier timeIsUp)
      throws IOException {
    Optional<String> token = of.token().read(environment);
    // Without a separate provider JGit would use the one that the JVM has for all repositories.
    command.setCredentialsProvider(
        new UsernamePasswordCredentialsProvider("x-access-token", token.orElse("")));
    return command
        .setTimeout(Math.toIntExact(limits.silence().toSeconds()))
        .setTransportConfigCallback(transport -> {
          if (transport instanceof SshTransport ssh) {
            ssh.setSshSessionFactory(new SshProgram(limits));
          } else if (transport instanceof TransportHttp http) {
            http.setHttpConnectionFactory(new BoundedHttp(timeIsUp));
          }
        });
  }

  /** What went wrong, with the fix where it is known. */
  private static String reason(Exception e) {
    String message = String.valueOf(e.getMessage());
    Throwable cause = e.getCause();
    String whole = cause == null ? message : message + ": " + cause.getMessage();
    return message.contains("not authorized") || message.contains("not permitted")
        ? message + "; name the variable with a token that may read it with repo-token-env"
        : whole;
  }

  /**
   * Connections that end when the time is up, although their server goes on sending: a server that
   * sends a byte now and then would hold a fetch for ever.
   *
   * @param timeIsUp checked before each read, which has a separate limit
   */
  private record BoundedHttp(BooleanSupplier timeIsUp) implements HttpConnectionFactory {

    @Override
    public HttpConnection create(URL url) throws IOException {
      return create(url, Proxy.NO_PROXY);
    }

    @Override
    public HttpConnection create(URL url, Proxy proxy) throws IOException {
      return new JDKHttpConnection(url, proxy) {
        @Override
        public InputStream getInputStream() throws IOException {
          return bounded(super.getInputStream());
        }
      };
    }

    private InputStream bounded(InputStream received) {
      return new FilterInputStream(received) {
        @Override
        public int read() throws IOException {
          check();
          return super.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
          check();
          return super.read(into, offset, length);
        }
      };
    }

    private void check() throws InterruptedIOException {
      if (timeIsUp.getAsBoolean()) {
        throw new InterruptedIOException("the server sends too slowly");
      }
    }
  }
}
