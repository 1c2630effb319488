package dev.flyball.runner.repository;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.EmptyProgressMonitor;

/** Cancels a fetch that takes too long or receives too much. JGit asks between two objects. */
final class BoundedFetch extends EmptyProgressMonitor {
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
