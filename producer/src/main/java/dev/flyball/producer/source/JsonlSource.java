package dev.flyball.producer.source;

import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.producer.source.Failure.Category;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of work items, one JSON object a line. The cursor is the digest of the whole file: a file
 * has no other order of its own, people edit it in the middle.
 */
public final class JsonlSource implements Source {
  /** Largest file read, in bytes: it is held in memory while its changes are worked out. */
  static final long MAX_FILE = 64L << 20;

  /** Longest line read, in bytes. */
  static final int MAX_LINE = 10 << 20;

  private static final int MAX_VALUE = 2_000;

  /** A byte order mark, which some editors put first. */
  private static final String MARK = "\ufeff";

  /** How often a file that changes while it is read is read again; then it is taken as it is. */
  private static final int MOST_AGAIN = 3;

  /** A file changed this shortly before it was read may change again without a new time stamp. */
  private static final Duration STAMP_DOUBT = Duration.ofSeconds(2);

  private final Path path;
  private final String tenant;
  private final String name;
  private final InstantSource clock;

  /**
   * What the file looked like when it was last read; written and read by the one polling thread.
   */
  private @Nullable Glance last;

  /** A file whose lines belong to this tenant and source where they do not say so themselves. */
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
      return before.sameAs(Files.readAttributes(path, BasicFileAttributes.class));
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    try {
      if (Files.isDirectory(path)) {
        return failed(
            Category.NOT_FOUND, path + " is a folder; name a file of one JSON object a line");
      }
      PollResult result = readAtRest();
      for (int again = 0; again < MOST_AGAIN && last == null; again++) {
        result = readAtRest();
      }
      return result;
    } catch (NoSuchFileException e) {
      return failed(Category.NOT_FOUND, path + " does not exist; check the path");
    } catch (AccessDeniedException e) {
      return failed(Category.AUTH, path + " is not readable for this user; check its permissions");
    } catch (IOException e) {
      return failed(Category.UNREACHABLE, path + " cannot be read: " + e.getMessage());
    }
  }

  /**
   * Reads the file; leaves no glance if it changed meanwhile. Half a file reads as if items went
   * back to what they were, and each of them would cost a session.
   */
  private PollResult readAtRest() throws IOException {
    last = null;
    var before = Files.readAttributes(path, BasicFileAttributes.class);
    if (before.size() > MAX_FILE) {
      return failed(
          Category.MALFORMED,
          path + " has " + before.size() + " bytes, more than " + MAX_FILE + "; split it");
    }
    PollResult.Read read = read();
    boolean sure =
        before.lastModifiedTime().toInstant().isBefore(clock.instant().minus(STAMP_DOUBT));
    var glance = new Glance(read.cursor(), before, sure);
    if (glance.sameAs(Files.readAttributes(path, BasicFileAttributes.class))) {
      last = glance;
    }
    return read;
  }

  private PollResult.Read read() throws IOException {
    var items = new ArrayList<RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    MessageDigest sha = sha256();
    int lines = 0;
    long number = 0;
    try (InputStream in =
        new BufferedInputStream(new DigestInputStream(Files.newInputStream(path), sha), 1 << 16)) {
      var line = new ByteArrayOutputStream();
      boolean more = true;
      while (more) {
        line.reset();
        number++;
        more = readLine(in, line);
        if (!isBlank(line, number)) {
          lines++;
          take(line, number, items, invalid);
        }
      }
    }
    return new PollResult.Read(
        items,
        invalid,
        lines,
        "sha256:" + HexFormat.of().formatHex(sha.digest()),
        0,
        Duration.ZERO);
  }

  /**
   * Reads up to a line end, keeping one byte more than the limit at most; false at the end of the
   * file.
   */
  private static boolean readLine(InputStream in, ByteArrayOutputStream line) throws IOException {
    int c;
    while ((c = in.read()) >= 0) {
      if (c == '\n') {
        return true;
      }
      if (line.size() <= MAX_LINE) {
        line.write(c);
      }
    }
    return false;
  }

  private void take(
      ByteArrayOutputStream bytes,
      long number,
      List<RawItem> items,
      List<PollResult.Unread> invalid) {
    String text = null;
    try {
      if (bytes.size() > MAX_LINE) {
        throw new UnreadableRecord("longer than " + MAX_LINE + " bytes");
      }
      text = decode(bytes.toByteArray(), number);
      items.add(JsonlLine.read(text, tenant, name, number));
    } catch (UnreadableRecord e) {
      String value = text == null ? bytes.toString(StandardCharsets.UTF_8) : text;
      invalid.add(
          new PollResult.Unread(
              String.valueOf(path.getFileName()),
              number,
              String.valueOf(e.getMessage()),
              bounded(value)));
    }
  }

  private static String decode(byte[] bytes, long number) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return number == 1 && text.startsWith(MARK) ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new UnreadableRecord("not UTF-8");
    }
  }

  private static String bounded(String value) {
    return value.length() <= MAX_VALUE ? value : value.substring(0, MAX_VALUE) + "...";
  }

  private static boolean isBlank(ByteArrayOutputStream line, long number) {
    if (line.size() >= 1024) {
      return false;
    }
    String text = line.toString(StandardCharsets.UTF_8);
    return (number == 1 && text.startsWith(MARK) ? text.substring(1) : text).isBlank();
  }

  private static PollResult failed(Category category, String reason) {
    return new PollResult.Failed(Failure.of(category, reason));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * A file as it was at a read.
   *
   * @param sure whether its time stamp would have moved had it changed since
   */
  private record Glance(String cursor, BasicFileAttributes attributes, boolean sure) {
    boolean sameAs(BasicFileAttributes now) {
      return now.size() == attributes.size()
          && now.lastModifiedTime().equals(attributes.lastModifiedTime())
          && java.util.Objects.equals(now.fileKey(), attributes.fileKey());
    }
  }
}
