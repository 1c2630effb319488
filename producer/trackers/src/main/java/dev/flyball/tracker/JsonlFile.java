package dev.flyball.tracker;

import dev.flyball.contract.json.UnreadableRecord;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads one items file once. */
final class JsonlFile {
  /** Longest line read, in bytes. */
  static final int MAX_LINE = 10 << 20;

  private static final int MAX_VALUE = 2_000;

  /** A byte order mark, which some editors put first. */
  private static final String MARK = "\ufeff";

  private final Path path;
  private final String tenant;
  private final String name;
  private final long before;
  private final MessageDigest sha = sha256();
  private final Map<String, Integer> unknown = new TreeMap<>();
  private int lines;
  private long number;

  /**
   * A file whose lines belong to this tenant and source where they name none themselves.
   *
   * @param before how many lines the files before it have
   */
  JsonlFile(Path path, String tenant, String name, long before) {
    this.path = path;
    this.tenant = tenant;
    this.name = name;
    this.before = before;
  }

  /** Reads the file: adds its items and its unreadable lines. */
  void read(List<RawItem> items, List<PollResult.Unread> invalid) throws IOException {
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
  }

  /** How many items have a field that is not read, by its name. */
  Map<String, Integer> unknown() {
    return unknown;
  }

  /** Lines that are not blank. */
  int lines() {
    return lines;
  }

  /** The last line's number. */
  long last() {
    return number;
  }

  /** The digest of all its bytes. */
  byte[] digest() {
    return sha.digest();
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
      items.add(JsonlLine.read(text, tenant, name, before + number, unknown));
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

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
