package dev.flyball.runner.repository;

import dev.flyball.runner.repository.Repositories.OfSource;
import dev.flyball.scout.QuietGit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;

/**
 * The repository that a mirror follows, with the branch {@code main}.
 *
 * @param url its address, also after its folder was moved away
 */
public record Origin(Path folder, String url, Git git) implements AutoCloseable {
  static final MirrorLimits LIMITS =
      new MirrorLimits(
          Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofSeconds(10), 1 << 30);

  /** A new repository without a commit. */
  public static Origin in(Path folder) throws Exception {
    QuietGit.install();
    Git git = Git.init().setDirectory(folder.toFile()).setInitialBranch("main").call();
    return new Origin(folder, folder.toUri().toString(), git);
  }

  /** A server of this repository, or of another by URL. */
  static GitServer server(
      String url, Optional<String> branch, RepositoryToken token, MirrorLimits limits) {
    var of = new OfSource(new RepositoryAddress.Url(url), branch, token);
    return new GitServer(of, limits, Map.of());
  }

  /** The repository in this folder by its URL, on its usual branch. */
  public static OfSource byUrl(Path folder) {
    var url = new RepositoryAddress.Url(folder.toUri().toString());
    return new OfSource(url, Optional.empty(), RepositoryToken.NONE);
  }

  /** Commits every file, and one with this text; returns the commit. */
  String commit(String text) throws Exception {
    return commit("file", text);
  }

  /** Commits every file, and one of this name with this text; returns the commit. */
  public String commit(String file, String text) throws Exception {
    Files.createDirectories(Objects.requireNonNull(folder.resolve(file).getParent()));
    Files.writeString(folder.resolve(file), text);
    git.add().addFilepattern(".").call();
    return git.commit()
        .setMessage(text)
        .setAuthor("a", "a@example")
        .setCommitter("a", "a@example")
        .setSign(false)
        .call()
        .name();
  }

  /** The newest commit of a branch. */
  public String commitOf(String branch) throws IOException {
    return Objects.requireNonNull(git.getRepository().resolve("refs/heads/" + branch)).name();
  }

  /** The commit that a mirror has. */
  static String head(Mirror mirror) throws IOException {
    try (Repository made = opened(mirror)) {
      return Objects.requireNonNull(made.resolve("refs/heads/" + Mirror.BRANCH)).name();
    }
  }

  /** A mirror's own repository. */
  static Repository opened(Mirror mirror) throws IOException {
    return new FileRepositoryBuilder().setGitDir(mirror.folder().toFile()).setBare().build();
  }

  @Override
  public void close() {
    git.close();
  }
}
