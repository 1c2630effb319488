package dev.flyball.runner.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of bounded length from a stream that nobody vouches for. A longer line is cut and
 * marked, its rest is read and thrown away. Bytes that are no UTF-8 become the replacement
 * character. Not thread-safe.
 */
public final class LineReader {
  private final InputStream in;
  private final int maxBytes;
  private final byte[] buffer = new byte[64 * 1024];
  private byte[] line = new byte[1024];
  private int position;
  private int end;
  private long read;

  /** Lines of a stream, each at most this long. */
  public LineReader(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /** The next line without its end, null at the end of the stream. */
  public @Nullable String next() throws IOException {
    int length = 0;
    long whole = 0;
    boolean any = false;
    while (true) {
      if (position == end) {
        end = Math.max(0, in.read(buffer));
        position = 0;
        read += end;
        if (end == 0) {
          return any ? text(length, whole) : null;
        }
      }
      any = true;
      int start = position;
      while (position < end && buffer[position] != '\n') {
        position++;
      }
      int more = position - start;
      int kept = Math.min(more, maxBytes - length);
      line = grown(length + kept);
      System.arraycopy(buffer, start, line, length, kept);
      length += kept;
      whole += more;
      if (position < end) {
        position++;
        return text(length, whole);
      }
    }
  }

  /** All bytes read until now, cut ones included. */
  public long bytesRead() {
    return read;
  }

  private byte[] grown(int size) {
    return size <= line.length
        ? line
        : Arrays.copyOf(line, (int) Math.min(maxBytes, Math.max(size, line.length * 2L)));
  }

  private String text(int length, long whole) {
    int shown = length > 0 && whole == length && line[length - 1] == '\r' ? length - 1 : length;
    String text = new String(line, 0, shown, StandardCharsets.UTF_8);
    if (line.length > 1 << 20) {
      line = new byte[1024];
    }
    return whole > length ? text + " [cut, " + whole + " bytes]" : text;
  }
}
