package dev.flyball.program.classifier;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.runner.RunnerConfig.Confinement;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.Sweep;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the processes of triage calls need of the machine: a containment, and a journal from which
 * the next start finds what a killed one left. Its folder is not the runner's, so a call is never
 * taken for a session. One thread.
 */
public record CallHost(
    Journal journal, Containment containment, CallWorkplaces workplaces, InstantSource clock)
    implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CallHost.class);

  /** The item of a call's row: it belongs to a whole batch. */
  private static final String NO_ITEM = "-";

  /**
   * Ends what an earlier process of this folder, which the caller has locked, left of its calls,
   * and finds the strongest containment that works here. Its processes reach the network, because a
   * model is asked over it.
   *
   * @throws IOException if the folder cannot be used or no containment works; one line with the fix
   */
  static CallHost open(Path path, Confinement confinement, long memoryBytes) throws IOException {
    InstantSource clock = InstantSource.system();
    Journal journal = null;
    try {
      journal = Journal.open(path);
      for (Sweep.Remains each : new Sweep(journal, clock).run()) {
        log.info(
            "triage call of an earlier process ended: call={} processes={} survivors={}",
            each.row().session(),
            each.found(),
            each.left());
      }
      var workplaces = new CallWorkplaces(path, confinement.user().isPresent());
      workplaces.removeLeft();
      Containment containment =
          ContainmentProbe.strongest(
                  ContainmentSettings.in(path).withMemory(memoryBytes),
                  confinement.minimum(),
                  confinement.maximum(),
                  confinement.user())
              .containment();
      if (!Kernel.hideFromSameUser()) {
        log.warn("agents of this user can read this process's environment: prctl was denied");
      }
      return new CallHost(journal, containment, workplaces, clock);
    } catch (IOException | RuntimeException e) {
      if (journal != null) {
        journal.close();
      }
      throw e;
    }
  }

  /** Writes the call's row before its process starts: else no sweep would search for it. */
  void opened(String call) throws IOException {
    journal.opened(
        new Journal.Row(
            call,
            NO_ITEM,
            NO_ITEM,
            containment.level().label(),
            Identity.own(),
            Optional.empty(),
            clock.millis()));
  }

  @Override
  public void close() {
    try {
      journal.close();
    } catch (IOException e) {
      log.warn("journal of triage calls not closed: cause={}", e.getMessage());
    }
  }

  /** Deletes a folder of a call, or another temporary one, with what is in it. */
  public static void remove(Path workplace) {
    try (Stream<Path> all = Files.walk(workplace)) {
      List<Path> inside = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : inside) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | RuntimeException e) {
      log.warn("temporary folder not deleted: folder={} cause={}", workplace, e.toString());
    }
  }

  /**
   * The working directories of triage calls. They are outside the data folder, which may lie in a
   * repository: programs search the folders above for instructions. Their names tell which data
   * folder they belong to, so that those of a killed process are found again.
   */
  static final class CallWorkplaces {
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

    /** Deletes those of an earlier process, none of which lives. */
    void removeLeft() {
      try (Stream<Path> all = Files.list(place)) {
        all.filter(each -> each.getFileName().toString().startsWith(prefix))
            .filter(this::isOurs)
            .toList()
            .forEach(CallHost::remove);
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
}
