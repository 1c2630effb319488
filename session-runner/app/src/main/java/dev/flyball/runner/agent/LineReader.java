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
}
