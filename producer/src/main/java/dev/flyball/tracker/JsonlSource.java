package dev.flyball.tracker;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.text.Sha256;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of work items, one JSON object a line, or a folder of such files, read in the order of
 * their names as if they were one. The cursor is the digest of all their bytes: a file has no other
 * order, because people edit it in the middle.
 */
public final class JsonlSource implements Source {
  /** Most bytes read: they are held in memory while their changes are determined. */
  public static final long MAX_FILE = 64L << 20;

  private static final String SUFFIX = ".jsonl";

  /** How often a file that changes while it is read is read again; then it is taken as it is. */
  private static final int MOST_AGAIN = 3;

  /** A file changed this shortly before it was read may change again without a new time stamp. */
  private static final Duration STAMP_DOUBT = Duration.ofSeconds(2);

  private final Path path;
  private final String tenant;
  private final String name;
  private final InstantSource clock;

  /**
   * The state of the files when they were last read; written and read by the one polling thread.
   */
  private @Nullable Glance last;

  /** Items of lines that name no tenant and source belong to this tenant and source. */
  public JsonlSource(Path path, String tenant, String name, InstantSource clock) {
    this.path = path;
    this.tenant = tenant;
    this.name = name;
    this.clock = clock;
  }

  @Override
  public boolean unchangedSince(String cursor) {
    Glance before = last;
    if (before == null || !before.cursor().equals(cursor) || !before.sure()) {
      return false;
    }
    try {
      return before.sameAs(look());
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    try {
      PollResult result = readAtRest();
      for (int again = 0; again < MOST_AGAIN && last == null; again++) {
        result = readAtRest();
      }
      return result;
    } catch (NoSuchFileException e) {
      return failed(Category.NOT_FOUND, e.getFile() + " does not exist; check the path");
    } catch (AccessDeniedException e) {
      return failed(
          Category.AUTH, e.getFile() + " is not readable for this user; check its permissions");
    } catch (IOException e) {
      return failed(Category.UNREACHABLE, path + " cannot be read: " + e.getMessage());
    }
  }

  /** No limit: each call reads all files, however many items it is asked for. */
  @Override
  public int revisitBatch() {
    return Integer.MAX_VALUE;
  }

  /** An item without a line is not gone, as in a poll. */
  @Override
  public Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    return switch (poll(null, permission)) {
      case PollResult.Failed failed -> new Revisited.Failed(failed.failure());
      case PollResult.Read read -> {
        var wanted = Set.copyOf(keys);
        List<RawItem> items =
            read.items().stream().filter(item -> wanted.contains(item.key())).toList();
        yield new Revisited.Seen(items, Set.of(), 0);
      }
    };
  }

  /**
   * Reads all files; {@link #last} stays null if one of them changed meanwhile. Half a file would
   * read as if items had gone back to an earlier state, and each of them would cost a session.
   */
  private PollResult readAtRest() throws IOException {
    last = null;
    Map<Path, BasicFileAttributes> before = look();
    if (before.values().stream().anyMatch(BasicFileAttributes::isOther)) {
      // Reading a pipe without a writer would never end.
      return failed(
          Category.NOT_FOUND, path + " is neither a file nor a folder; name one of them as path");
    }
    long size = before.values().stream().mapToLong(BasicFileAttributes::size).sum();
    if (size > MAX_FILE) {
      return failed(
          Category.MALFORMED,
          path + " has " + size + " bytes, more than " + MAX_FILE + "; split it");
    }
    PollResult.Read read = read(List.copyOf(before.keySet()));
    var doubt = clock.instant().minus(STAMP_DOUBT);
    boolean sure =
        before.values().stream()
            .allMatch(file -> file.lastModifiedTime().toInstant().isBefore(doubt));
    var glance = new Glance(read.cursor(), before, sure);
    if (glance.sameAs(look())) {
      last = glance;
    }
    return read;
  }

  private PollResult.Read read(List<Path> files) throws IOException {
    var items = new ArrayList<RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    var unknown = new TreeMap<String, Integer>();
    boolean folder = Files.isDirectory(path);
    MessageDigest all = Sha256.digest();
    String digest = "";
    for (Path file : files) {
      var reading = new JsonlFile(file, tenant, name, items, invalid, unknown);
      digest = HexFormat.of().formatHex(reading.read());
      all.update((file.getFileName() + "\n" + digest + "\n").getBytes(StandardCharsets.UTF_8));
    }
    String cursor = folder ? HexFormat.of().formatHex(all.digest()) : digest;
    return new PollResult.Read(
        items, invalid, unknown, "sha256:" + cursor, 0, Duration.ZERO, false);
  }

  /**
   * The files to read, in their order. Hidden and temporary files are unfinished work, and are
   * skipped.
   */
  private Map<Path, BasicFileAttributes> look() throws IOException {
    var files = new LinkedHashMap<Path, BasicFileAttributes>();
    if (!Files.isDirectory(path)) {
      files.put(path, Files.readAttributes(path, BasicFileAttributes.class));
      return files;
    }
    List<Path> found;
    try (Stream<Path> entries = Files.list(path)) {
      found = entries.filter(JsonlSource::isItems).sorted().toList();
    }
    for (Path file : found) {
      files.put(file, Files.readAttributes(file, BasicFileAttributes.class));
    }
    return files;
  }

  private static boolean isItems(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(SUFFIX) && !name.startsWith(".") && Files.isRegularFile(file);
  }

  private static PollResult failed(Category category, String reason) {
    return new PollResult.Failed(TrackerFailure.of(category, reason));
  }

  /**
   * The files as they were when they were read.
   *
   * @param sure whether their time stamps would have moved had they changed since
   */
  private record Glance(String cursor, Map<Path, BasicFileAttributes> files, boolean sure) {
    boolean sameAs(Map<Path, BasicFileAttributes> now) {
      return List.copyOf(now.keySet()).equals(List.copyOf(files.keySet()))
          && now.entrySet().stream()
              .allMatch(file -> same(files.get(file.getKey()), file.getValue()));
    }

    private static boolean same(@Nullable BasicFileAttributes a, BasicFileAttributes b) {
      return a != null
          && a.size() == b.size()
          && a.lastModifiedTime().equals(b.lastModifiedTime())
          && java.util.Objects.equals(a.fileKey(), b.fileKey());
    }
  }
}
