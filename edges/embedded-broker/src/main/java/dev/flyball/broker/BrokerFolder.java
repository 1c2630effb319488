package dev.flyball.broker;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The folder of one broker, held by Flyball's own lock. Kafka locks it too, but only after it has
 * begun to change it, and its message names no fix.
 */
final class BrokerFolder implements AutoCloseable {
  private static final String LOCK = "embedded-broker.lock";

  /** This file exists from before Kafka starts until it has stopped in order. */
  private static final String RUNNING = "embedded-broker.running";

  private final Path directory;
  private final FileChannel channel;
  private final boolean killed;

  private BrokerFolder(Path directory, FileChannel channel, boolean killed) {
    this.directory = directory;
    this.channel = channel;
    this.killed = killed;
  }

  /**
   * Creates the folder, takes it for this broker and formats it if it is new.
   *
   * @throws BrokerStartFailed if it cannot be written, is full, or belongs to another broker
   */
  static BrokerFolder open(Path directory) {
    FileChannel channel = writable(directory);
    try {
      lock(directory, channel);
      checkSpace(directory);
      boolean killed = mark(directory);
      format(directory);
      return new BrokerFolder(directory, channel, killed);
    } catch (RuntimeException e) {
      closeQuietly(channel);
      throw e;
    }
  }

  /** The likely cause of a fault, as far as the folder shows it. */
  static String suspicion(Path directory) {
    try {
      if (Files.getFileStore(directory).getUsableSpace() < BrokerConfig.MIN_FREE_BYTES) {
        return "its folder " + directory + " is full: free space there and start again";
      }
    } catch (IOException e) {
      return "its folder "
          + directory
          + " cannot be read ("
          + e.getMessage()
          + "): repair it and start again";
    }
    return "its folder is " + directory + ": see the log, then start again";
  }

  private static FileChannel writable(Path directory) {
    try {
      Files.createDirectories(directory);
      return FileChannel.open(
          directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new BrokerStartFailed(
          "broker folder "
              + directory
              + " cannot be written ("
              + e.getClass().getSimpleName()
              + ": "
              + e.getMessage()
              + "); make it writable or use another with --data",
          e);
    }
  }

  private static void lock(Path directory, FileChannel channel) {
    try {
      if (channel.tryLock() == null) {
        throw inUse(directory, null);
      }
    } catch (OverlappingFileLockException | IOException e) {
      throw inUse(directory, e);
    }
  }

  private static BrokerStartFailed inUse(Path directory, @Nullable Throwable cause) {
    return new BrokerStartFailed(
        "broker folder "
            + directory
            + " is in use by another start; stop that one, or use another folder with --data",
        cause);
  }

  private static void checkSpace(Path directory) {
    try {
      long free = Files.getFileStore(directory).getUsableSpace();
      if (free < BrokerConfig.MIN_FREE_BYTES) {
        throw new BrokerStartFailed(
            "broker folder "
                + directory
                + " has "
                + (free >> 20)
                + " MB free and needs "
                + (BrokerConfig.MIN_FREE_BYTES >> 20)
                + " MB; free space there or use another folder with --data");
      }
    } catch (IOException e) {
      throw unwritable(directory, e);
    }
  }

  static BrokerStartFailed unwritable(Path directory, IOException cause) {
    return new BrokerStartFailed(
        "broker folder "
            + directory
            + " cannot be written ("
            + cause.getMessage()
            + "); free space or repair it",
        cause);
  }

  private static void format(Path directory) {
    if (Files.exists(directory.resolve("meta.properties"))) {
      return;
    }
    var silent = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    try {
      new Formatter()
          .setPrintStream(silent)
          .setNodeId(BrokerProperties.NODE_ID)
          .setClusterId(Uuid.randomUuid().toString())
          .setDirectories(List.of(directory.toString()))
          .setMetadataLogDirectory(directory.toString())
          .setControllerListenerName(BrokerProperties.CONTROLLER)
          .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
          .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
          .setIgnoreFormatted(true)
          .run();
    } catch (Exception e) {
      throw new BrokerStartFailed(
          "broker folder "
              + directory
              + " cannot be formatted ("
              + e.getMessage()
              + "); use an empty folder with --data",
          e);
    }
  }

  /** Records that a broker runs here; returns whether the last one did not stop in order. */
  private static boolean mark(Path directory) {
    Path running = directory.resolve(RUNNING);
    boolean killed =
        Files.exists(directory.resolve("__cluster_metadata-0")) && Files.exists(running);
    try {
      // A block and not nothing: a file system may be full although it names free space.
      Files.write(running, new byte[4096]);
      return killed;
    } catch (IOException e) {
      throw unwritable(directory, e);
    }
  }

  /** Whether the broker that last ran here did not stop in order. */
  boolean killed() {
    return killed;
  }

  /** Records that the broker stopped in order; the folder is still held. */
  void stoppedInOrder() {
    try {
      Files.deleteIfExists(directory.resolve(RUNNING));
    } catch (IOException e) {
      LoggerFactory.getLogger(BrokerFolder.class).debug("the next start takes longer", e);
    }
  }

  @Override
  public void close() {
    closeQuietly(channel);
  }

  @Override
  public String toString() {
    return directory.toString();
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The lock is released with the channel; a failing close loses nothing.
      LoggerFactory.getLogger(BrokerFolder.class).debug("closing the lock file", e);
    }
  }
}
