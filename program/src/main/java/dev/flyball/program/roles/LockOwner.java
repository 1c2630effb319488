package dev.flyball.program.roles;

import dev.flyball.containment.ContainedProcess.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that last locked a folder, so that others see immediately that it is dead. They must
 * not try the lock itself: trying holds it, and a start at that moment would fail.
 */
public final class LockOwner {
  private static final Logger LOG = LoggerFactory.getLogger(LockOwner.class);
  private static final String NAME = "flyball.owner";
  private static final String UNKNOWN = "unknown";

  private LockOwner() {}

  /** Records that this process holds the folder. */
  static void tell(Path folder) {
    Identity own = Identity.own();
    String line =
        String.join(
            " ",
            Long.toString(own.pid()),
            Long.toString(own.startTicks()),
            own.bootId(),
            own.pidNamespace());
    try {
      Files.writeString(folder.resolve(NAME), line + "\n");
    } catch (IOException e) {
      LOG.warn("{} does not say whose it is: {}", folder, e.toString());
    }
  }

  /**
   * Whether the process that last locked the folder is surely dead; false also where that cannot be
   * known, as from another container.
   */
  public static boolean gone(Path folder) {
    String[] words;
    try {
      words = Files.readString(folder.resolve(NAME)).strip().split(" ");
    } catch (IOException nobodySaid) {
      return false;
    }
    if (words.length != 4 || !words[0].matches("[0-9]{1,9}") || !words[1].matches("[0-9]{1,18}")) {
      return false;
    }
    Identity own = Identity.own();
    var owner =
        new Identity(Long.parseLong(words[0]), Long.parseLong(words[1]), words[2], words[3]);
    boolean here =
        !own.pidNamespace().equals(UNKNOWN) && own.pidNamespace().equals(owner.pidNamespace());
    return (here || !own.bootId().equals(owner.bootId())) && !owner.alive();
  }
}
