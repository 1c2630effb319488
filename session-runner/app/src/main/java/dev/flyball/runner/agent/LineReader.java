package dev.flyball.runner.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of bounded length from an untrusted stream: a line of any length costs the same
 * memory. A longer line is cut and marked; the rest of it is read and dropped. In a line that
 * begins like a JSON object, long strings are shortened first. So it stays JSON, and its type,
 * figures and short fields are still understood. Bytes that are not UTF-8 become the replacement
 * character. Not thread-safe.
 */
public final class LineReader {
  private final InputStream in;
  private final int maxBytes;
  private final byte[] buffer = new byte[64 * 1024];
  private byte[] line = new byte[1024];
  private @Nullable JsonStrings strings;
  private int position;
  private int end;
  private int length;
  private long whole;
  private boolean cut;

  /** Reads the lines of a stream, each cut at {@code maxBytes} bytes. */
  public LineReader(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /** The next line without its end, null at the end of the stream. */
  public @Nullable String next() throws IOException {
    length = 0;
    whole = 0;
    cut = false;
    strings = null;
    boolean any = false;
    while (true) {
      if (position == end) {
        end = Math.max(0, in.read(buffer));
        position = 0;
        if (end == 0) {
          return any ? text() : null;
        }
      }
      if (!any && buffer[position] == '{') {
        strings = new JsonStrings(maxBytes);
      }
      any = true;
      int start = position;
      while (position < end && buffer[position] != '\n') {
        position++;
      }
      whole += position - start;
      keep(start, position);
      if (position < end) {
        position++;
        return text();
      }
    }
  }

  /** Length of the newest line before it was cut or shortened, in bytes. */
  public long lineBytes() {
    return whole;
  }

  private void keep(int from, int to) {
    JsonStrings json = strings;
    if (json == null) {
      int kept = Math.min(to - from, maxBytes - length);
      line = grown(length + kept);
      System.arraycopy(buffer, from, line, length, kept);
      length += kept;
      cut |= kept < to - from;
      return;
    }
    for (int i = from; i < to; i++) {
      if (!json.keeps(buffer[i], length)) {
        continue;
      }
      if (length == maxBytes) {
        cut = true;
        return;
      }
      line = grown(length + 1);
      line[length++] = buffer[i];
    }
  }

  private byte[] grown(int size) {
    return size <= line.length
        ? line
        : Arrays.copyOf(line, (int) Math.min(maxBytes, Math.max(size, line.length * 2L)));
  }

  private String text() {
    int shown = length > 0 && !cut && line[length - 1] == '\r' ? length - 1 : length;
    String text = new String(line, 0, shown, StandardCharsets.UTF_8);
    if (line.length > buffer.length) {
      line = new byte[1024];
    }
    return cut ? text + " [cut, " + whole + " bytes]" : text;
  }

  /**
   * Shortens the strings of one line of JSON while its bytes are read. So a line with a string of
   * ten megabytes stays JSON and is never held whole. Long strings share half of the line: each may
   * take half of what is left of that, so the first keeps most. Ids, types and names stay whole.
   * Cuts fall between characters and never into an escape.
   */
  private static final class JsonStrings {
    /** A string of up to this many bytes is never shortened. */
    private static final int SHORTEST = 64;

    private static final int AFTER_BACKSLASH = -1;

    private final int maxBytes;
    private boolean inside;
    private boolean dropping;
    private int room;

    /**
     * What is left of an escape: AFTER_BACKSLASH, or the number of hex digits; 0 outside of one.
     */
    private int escape;

    /** Shortens the strings of a line that may keep this many bytes. */
    JsonStrings(int maxBytes) {
      this.maxBytes = maxBytes;
    }

    /**
     * Takes the line's next byte and returns whether it is kept.
     *
     * @param kept how many bytes of the line were kept before it
     */
    boolean keeps(byte next, int kept) {
      if (!inside) {
        inside = next == '"';
        dropping = false;
        room = Math.max(SHORTEST, (maxBytes / 2 - kept) / 2);
        return true;
      }
      if (escape != 0) {
        escape = escape > 0 ? escape - 1 : next == 'u' ? 4 : 0;
      } else if (next == '"') {
        inside = false;
        return true;
      } else {
        boolean begins = (next & 0xC0) != 0x80;
        dropping |= begins && room <= 0;
        escape = next == '\\' ? AFTER_BACKSLASH : 0;
      }
      room--;
      return !dropping;
    }
  }
}
