package dev.flyball.runner.repository;

import dev.flyball.contract.text.Sha256;
import dev.flyball.scout.QuietGit;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.Proxy;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.LsRemoteCommand;
import org.eclipse.jgit.api.TransportCommand;
import org.eclipse.jgit.api.errors.GitAPIException;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.FetchResult;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.SshTransport;
import org.eclipse.jgit.transport.TagOpt;
import org.eclipse.jgit.transport.TransportHttp;
import org.eclipse.jgit.transport.UsernamePasswordCredentialsProvider;
import org.eclipse.jgit.transport.http.HttpConnection;
import org.eclipse.jgit.transport.http.HttpConnectionFactory;
import org.eclipse.jgit.transport.http.JDKHttpConnection;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bare repository of a mirror. Only the newest commit is fetched, without history, by JGit: no
 * git process, no helper that asks for a password, no configuration of the user. The token is sent
 * only to the URL's own server, which must not redirect, and is written nowhere.
 */
public final class MirrorRepository {
  /** The one branch of a mirror, whatever its name at the server. */
  public static final String BRANCH = "fetched";

  private static final Logger log = LoggerFactory.getLogger(MirrorRepository.class);
  private static final String FETCHED_AT = "flyball-fetched";

  private static final String TOO_LARGE = "it is larger than sessions.fetch.size";

  /** From this many packs on, what is no longer needed is removed. */
  private static final int MANY_PACKS = 40;

  /** Delta bases up to this size are kept in memory; larger files are streamed. */
  private static final int STREAMED_FROM = 16 << 20;

  private final Path folder;
  private final RemoteBranch branch;
  private final MirrorLimits limits;
  private final Map<String, String> environment;

  MirrorRepository(
      Path mirrors, RemoteBranch branch, MirrorLimits limits, Map<String, String> environment) {
    this.folder = mirrors.resolve(name(branch));
    this.branch = branch;
    this.limits = limits;
    this.environment = Map.copyOf(environment);
  }

  Path folder() {
    return folder;
  }

  String url() {
    return branch.address().url();
  }

  /** When the last fetch that worked began; kept over restarts. */
  Optional<Instant> fetchedAt() {
    try {
      String written = Files.readString(folder.resolve(FETCHED_AT)).strip();
      return Optional.of(Instant.ofEpochMilli(Long.parseLong(written)));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * Fetches the branch's newest commit. A mirror whose own files are damaged, as after a power cut,
   * is deleted and fetched whole: otherwise no session of this repository would ever start again.
   *
   * @throws IOException with a message of one line
   */
  void fetch(Instant now) throws IOException {
    QuietGit.install();
    String cause = "files of the commit are missing";
    try {
      // The server sends no file that an earlier commit had too.
      boolean moved = fetchOnce(now);
      if (!moved || readable()) {
        return;
      }
    } catch (IOException e) {
      if (fetchedAt().isEmpty() || readable()) {
        throw e;
      }
      cause = e.getMessage();
    }
    log.warn("damaged mirror is fetched whole: url={} cause={}", url(), cause);
    FileUtils.delete(folder.toFile(), FileUtils.RECURSIVE);
    var _ = fetchOnce(now);
  }

  /** Whether every file of the commit that it had is there. */
  private boolean readable() {
    try (Repository mirror = built();
        TreeWalk files = new TreeWalk(mirror)) {
      ObjectId tree = mirror.resolve("refs/heads/" + BRANCH + "^{tree}");
      if (tree == null) {
        return false;
      }
      files.addTree(tree);
      files.setRecursive(true);
      while (files.next()) {
        boolean submodule = files.getFileMode(0).equals(FileMode.GITLINK);
        if (!submodule && !files.getObjectReader().has(files.getObjectId(0))) {
          return false;
        }
      }
      return true;
    } catch (IOException | RuntimeException e) {
      log.debug("unreadable mirror: url={}", url(), e);
      return false;
    }
  }

  /** Returns whether the branch is at another commit than before. */
  private boolean fetchOnce(Instant now) throws IOException {
    var bounds = new BoundedFetch(folder, limits);
    try (Repository mirror = opened();
        Git git = new Git(mirror)) {
      var fetch =
          git.fetch()
              .setRemote(url())
              .setRefSpecs(new RefSpec("+" + branch.ref() + ":refs/heads/" + BRANCH))
              .setDepth(1)
              .setTagOpt(TagOpt.NO_TAGS)
              .setProgressMonitor(bounds);
      FetchResult result = asked(fetch, bounds::isCancelled).call();
      if (packs() > MANY_PACKS || bounds.tooLarge()) {
        var _ = git.gc().setExpire(now).call();
      }
      boolean large = bounds.tooLarge();
      if (!large || fetchedAt().isPresent()) {
        // Also if it is too large: its branch has moved, so the age is that of this fetch.
        Path written = folder.resolve(FETCHED_AT + ".new");
        Files.writeString(written, now.toEpochMilli() + "\n");
        Files.move(written, folder.resolve(FETCHED_AT), StandardCopyOption.ATOMIC_MOVE);
      }
      if (large) {
        throw new IOException(TOO_LARGE);
      }
      return !result.getTrackingRefUpdates().isEmpty();
    } catch (GitAPIException | RuntimeException e) {
      throw new IOException(
          bounds.tooLarge()
              ? TOO_LARGE
              : bounds.isCancelled()
                  ? "it takes longer than " + limits.limit().toMinutes() + " minutes"
                  : reason(e),
          e);
    }
  }

  /**
   * Asks the server for the newest commit of a branch, without fetching it.
   *
   * @throws IOException with a message of one line if there is none
   */
  public static String newest(
      RemoteBranch branch, MirrorLimits limits, Map<String, String> environment)
      throws IOException {
    QuietGit.install();
    long begun = System.nanoTime();
    LsRemoteCommand ask = Git.lsRemoteRepository().setRemote(branch.address().url());
    try {
      Ref found =
          new MirrorRepository(Path.of(""), branch, limits, environment)
              .asked(ask, () -> System.nanoTime() - begun > limits.patience().toNanos())
              .callAsMap()
              .get(branch.ref());
      if (found == null || found.getObjectId() == null) {
        throw new IOException("the server has no " + branch.ref());
      }
      return found.getObjectId().name();
    } catch (GitAPIException | RuntimeException e) {
      throw new IOException(reason(e), e);
    }
  }

  private <C extends TransportCommand<C, ?>> C asked(C command, BooleanSupplier timeIsUp)
      throws IOException {
    Optional<String> token = branch.token().read(environment);
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

  private Repository opened() throws IOException {
    Repository mirror = built();
    if (Files.isRegularFile(folder.resolve("HEAD"))) {
      removeRemains();
    } else {
      Files.createDirectories(folder);
      mirror.create(true);
    }
    // Each time: without these lines, which a power cut can take away, redirects would be followed.
    StoredConfig config = mirror.getConfig();
    config.setBoolean("http", null, "followRedirects", false);
    config.setInt("core", null, "streamFileThreshold", STREAMED_FROM);
    // JGit would clean up in a separate thread, beside the next fetch.
    config.setInt("gc", null, "auto", 0);
    config.setInt("gc", null, "autoPackLimit", 0);
    config.setBoolean("gc", null, "autoDetach", false);
    config.setString("gc", null, "prunePackExpire", "now");
    config.save();
    return mirror;
  }

  private Repository built() throws IOException {
    return new FileRepositoryBuilder().setGitDir(folder.toFile()).setBare().build();
  }

  /** Removes what a fetch left that died with its process: its locks would keep every other out. */
  private void removeRemains() throws IOException {
    try (Stream<Path> files = Files.walk(folder, 4)) {
      for (Path file : files.filter(MirrorRepository::remains).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static boolean remains(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".lock") || name.startsWith("incoming_") || name.equals("gc.pid");
  }

  private long packs() throws IOException {
    try (Stream<Path> packs = Files.list(folder.resolve("objects/pack"))) {
      return packs.filter(file -> file.toString().endsWith(".pack")).count();
    }
  }

  private static String name(RemoteBranch branch) {
    // With the token's name, for what one source may read must not be shown to another.
    String text = branch.address().url() + " " + branch.ref() + " " + branch.token();
    return Sha256.hex(text, 10) + ".git";
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

  /** Cancels a fetch that takes too long or receives too much. JGit asks between two objects. */
  private static final class BoundedFetch extends EmptyProgressMonitor {
    private static final long SIZE_EVERY = Duration.ofMillis(500).toNanos();

    private final Path mirror;
    private final MirrorLimits limits;
    private final long begun = System.nanoTime();
    private long sizedAt = begun;
    private boolean tooLarge;

    BoundedFetch(Path mirror, MirrorLimits limits) {
      this.mirror = mirror;
      this.limits = limits;
    }

    @Override
    public boolean isCancelled() {
      long now = System.nanoTime();
      if (now - sizedAt > SIZE_EVERY) {
        sizedAt = now;
        checkSize();
      }
      return tooLarge || now - begun > limits.limit().toNanos();
    }

    /** Whether the mirror is larger than allowed, as it is now. */
    boolean tooLarge() {
      checkSize();
      return tooLarge;
    }

    private void checkSize() {
      // Only an error of the file system itself comes from here; the fetch then meets it too.
      try (Stream<Path> files = Files.walk(mirror.resolve("objects"))) {
        tooLarge = files.mapToLong(BoundedFetch::size).sum() > limits.bytes();
      } catch (IOException | UncheckedIOException e) {
        tooLarge = false;
      }
    }

    private static long size(Path file) {
      try {
        return Files.isRegularFile(file) ? Files.size(file) : 0;
      } catch (IOException e) {
        // Renamed meanwhile.
        return 0;
      }
    }
  }
}
