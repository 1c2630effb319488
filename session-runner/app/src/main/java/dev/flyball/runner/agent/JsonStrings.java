package dev.flyball.runner.agent;

/**
 * Shortens the strings of one line of JSON while its bytes are read. So a line with a string of ten
 * megabytes stays JSON and is never held whole. Long strings share half of the line: each may take
 * half of what is left of that, so the first keeps most. Ids, types and names stay whole. Cuts fall
 * between characters and never into an escape.
 */
final class JsonStrings {
  /** A string of up to this many bytes is never shortened. */
  private static final int SHORTEST = 64;

  private static final int AFTER_BACKSLASH = -1;

  private final int maxBytes;
  private boolean inside;
  private boolean dropping;
  private int room;

  /** What is left of an escape: AFTER_BACKSLASH, or the number of hex digits; 0 outside of one. */
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
