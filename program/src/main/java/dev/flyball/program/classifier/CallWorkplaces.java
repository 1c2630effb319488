package dev.flyball.program.classifier;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The working directories of triage calls. They are outside the data folder, which may lie in a
 * repository: programs search the folders above for instructions. Their names tell which data
 * folder they belong to, so that those of a killed process are found again.
 */
final class CallWorkplaces {
  private static final Logger log = LoggerFactory.getLogger(CallWorkplaces.class);

  private final Path folder;
  private final boolean otherUser;
  private final Path place;
  private final String prefix;

  /**
   * The working directories of one folder of calls.
   *
   * @param folder held by one process at a time
   * @param otherUser whether calls run as another user, who must be able to read theirs
   */
  CallWorkplaces(Path folder, boolean otherUser) {
    this.folder = folder;
    this.otherUser = otherUser;
    this.place = Path.of(System.getProperty("java.io.tmpdir"));
    byte[] name = folder.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
    this.prefix = "flyball-call-" + UUID.nameUUIDFromBytes(name) + "-";
  }

  /** Creates an empty one. */
  Path create() throws IOException {
    Path made = Files.createTempDirectory(place, prefix);
    if (otherUser) {
      Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return made;
  }

  /** Deletes one with what the program wrote there. */
  static void remove(Path workplace) {
    try (Stream<Path> all = Files.walk(workplace)) {
      List<Path> inside = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : inside) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | RuntimeException e) {
      log.warn("working directory of a triage call not deleted: cause={}", e.toString());
    }
  }

  /** Deletes those of an earlier process, none of which lives. */
  void removeLeft() {
    try (Stream<Path> all = Files.list(place)) {
      all.filter(each -> each.getFileName().toString().startsWith(prefix))
          .filter(this::isOurs)
          .toList()
          .forEach(CallWorkplaces::remove);
    } catch (IOException | RuntimeException e) {
      log.warn("working directories of triage calls not listed: cause={}", e.toString());
    }
  }

  /** Whether the same user made it: every user of the machine may create folders there. */
  private boolean isOurs(Path workplace) {
    try {
      return !Files.isSymbolicLink(workplace)
          && Files.getOwner(workplace).equals(Files.getOwner(folder));
    } catch (IOException e) {
      return false;
    }
  }
}
