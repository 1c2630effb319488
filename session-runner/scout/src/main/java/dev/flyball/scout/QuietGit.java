package dev.flyball.scout;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;
import org.jspecify.annotations.Nullable;

/**
 * Keeps JGit to reading. Without this it starts {@code git} to find the system's configuration,
 * reads the user's configuration, follows redirects, and measures the file system's clock by
 * writing files.
 */
public final class QuietGit extends SystemReader.Delegate {

  private QuietGit(SystemReader system) {
    super(system);
  }

  /** Installs this for the whole JVM. */
  public static void install() {
    if (!(SystemReader.getInstance() instanceof QuietGit)) {
      SystemReader.setInstance(new QuietGit(SystemReader.getInstance()));
    }
  }

  /** The repository that this folder is, or is in; null if there is none. */
  public static @Nullable Repository repository(Path folder) throws IOException {
    install();
    var builder = new FileRepositoryBuilder().findGitDir(folder.toFile());
    return builder.getGitDir() == null ? null : builder.setMustExist(true).build();
  }

  @Override
  public FileBasedConfig openSystemConfig(Config parent, FS fs) {
    return new Unread(parent, fs);
  }

  @Override
  public FileBasedConfig openUserConfig(Config parent, FS fs) {
    return new Unread(parent, fs);
  }

  @Override
  public FileBasedConfig openJGitConfig(Config parent, FS fs) {
    return new Unread(parent, fs);
  }

  /** An empty configuration that is never read. */
  private static final class Unread extends FileBasedConfig {
    Unread(Config parent, FS fs) {
      super(parent, new File("unread"), fs);
      // JGit follows a first redirect unless told not to, and would send a token to its target. The
      // configuration of a mirror says so too, but a question to a server has no repository.
      setBoolean("http", null, "followRedirects", false);
    }

    @Override
    public void load() {}

    @Override
    public void save() {}

    /**
     * The resolution of the file system's clock. JGit would otherwise measure it for two seconds by
     * writing into the repository.
     */
    @Override
    public long getTimeUnit(
        String section, String subsection, String name, long unset, TimeUnit unit) {
      return section.equals("filesystem")
          ? unit.convert(Duration.ofSeconds(1))
          : super.getTimeUnit(section, subsection, name, unset, unit);
    }

    @Override
    public boolean isOutdated() {
      return false;
    }
  }
}
