package dev.flyball.tracker;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.text.Sha256;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
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

  /** The files' state when they were last read; written and read by the one polling thread. */
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
    try {
      return before != null
          && before.sure()
          && before.cursor().equals(cursor)
          && before.files().equals(look());
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
      throw failed(Category.NOT_FOUND, e.getFile() + " does not exist; check the path");
    } catch (AccessDeniedException e) {
      throw failed(
          Category.AUTH, e.getFile() + " is not readable for this user; check its permissions");
    } catch (IOException e) {
      throw failed(Category.UNREACHABLE, path + " cannot be read: " + e.getMessage());
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
    var wanted = Set.copyOf(keys);
    Stream<RawItem> items = poll(null, permission).items().stream();
    return new Revisited(items.filter(item -> wanted.contains(item.key())).toList(), Set.of(), 0);
  }

  /**
   * Reads all files; {@link #last} stays null if one of them changed meanwhile. Half a file would
   * read as if items had gone back to an earlier state, and each of them would cost a session.
   */
  private PollResult readAtRest() throws IOException {
    last = null;
    List<Stamp> before = look();
    if (before.stream().anyMatch(Stamp::endless)) {
      throw failed(
          Category.NOT_FOUND, path + " is neither a file nor a folder; name one of them as path");
    }
    long size = before.stream().mapToLong(Stamp::size).sum();
    if (size > MAX_FILE) {
      throw failed(
          Category.MALFORMED,
          path + " has " + size + " bytes, more than " + MAX_FILE + "; split it");
    }
    PollResult read = read(before);
    var doubt = clock.instant().minus(STAMP_DOUBT);
    if (before.equals(look())) {
      boolean sure = before.stream().allMatch(file -> file.modified().isBefore(doubt));
      last = new Glance(read.cursor(), before, sure);
    }
    return read;
  }

  private PollResult read(List<Stamp> files) throws IOException {
    var reader = new JsonlReader(tenant, name);
    MessageDigest all = Sha256.digest();
    String digest = "";
    for (Stamp file : files) {
      digest = reader.read(file.path());
      all.update((file.path().getFileName() + "\n" + digest + "\n").getBytes(UTF_8));
    }
    String cursor = Files.isDirectory(path) ? HexFormat.of().formatHex(all.digest()) : digest;
    return reader.result("sha256:" + cursor);
  }

  /** The files to read, in their order, without hidden and temporary ones: unfinished work. */
  private List<Stamp> look() throws IOException {
    List<Path> found = List.of(path);
    if (Files.isDirectory(path)) {
      try (Stream<Path> entries = Files.list(path)) {
        found = entries.filter(JsonlSource::isItems).sorted().toList();
      }
    }
    var files = new ArrayList<Stamp>();
    for (Path file : found) {
      var now = Files.readAttributes(file, BasicFileAttributes.class);
      files.add(
          new Stamp(
              file, now.size(), now.lastModifiedTime().toInstant(), now.fileKey(), now.isOther()));
    }
    return files;
  }

  private static boolean isItems(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(SUFFIX) && !name.startsWith(".") && Files.isRegularFile(file);
  }

  private static SourceFailure failed(Category category, String reason) {
    return new SourceFailure(category, reason);
  }

  /**
   * The files as they were when they were read.
   *
   * @param sure whether their time stamps would have moved had they changed since
   */
  private record Glance(String cursor, List<Stamp> files, boolean sure) {}

  /**
   * By what a change of a file shows.
   *
   * @param endless whether reading it may never end, as of a pipe without a writer
   */
  private record Stamp(
      Path path, long size, Instant modified, @Nullable Object key, boolean endless) {}
}
