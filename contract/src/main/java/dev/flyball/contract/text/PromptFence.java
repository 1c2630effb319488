package dev.flyball.contract.text;

import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * The border around foreign text in a prompt. It is chosen for one prompt and does not occur in the
 * text, so the text cannot contain its own end. Each line is quoted besides.
 *
 * @param mark what both border lines contain
 */
public record PromptFence(String mark) {

  /** Returns a fence that none of these texts contains. */
  public static PromptFence around(RandomGenerator random, String... texts) {
    while (true) {
      String mark = HexFormat.of().toHexDigits(random.nextLong());
      boolean used = false;
      for (String text : texts) {
        used |= text.contains(mark);
      }
      if (!used) {
        return new PromptFence(mark);
      }
    }
  }

  /**
   * Returns the text within this fence, each line quoted and without control characters.
   *
   * @param what what the text is, one line of our own or a key, for example {@code WORK ITEM a/b/1}
   */
  public String enclose(String what, String text) {
    var out = new StringBuilder(text.length() + 256);
    out.append("===== BEGIN UNTRUSTED ").append(what).append(' ').append(mark).append('\n');
    text.lines()
        .forEach(line -> out.append("> ").append(line.replaceAll("\\p{Cntrl}", " ")).append('\n'));
    return out.append("===== END UNTRUSTED ").append(mark).append('\n').toString();
  }
}
