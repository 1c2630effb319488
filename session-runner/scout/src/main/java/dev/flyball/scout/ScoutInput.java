package dev.flyball.scout;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What scout reads on its standard input: five texts with zero bytes between them, lists with line
 * ends. Reading JSON would take longer than ranking.
 *
 * @param item item key, only repeated in the answer
 * @param title the item's title; its words weigh most
 * @param text the item's clean text
 * @param tags the item's tags
 * @param modules parts of the repository that the verdict names
 */
public record ScoutInput(
    String item, String title, String text, List<String> tags, List<String> modules) {
  /** Longest input that is read, in bytes. A work item's text has 16 KiB, so more is a mistake. */
  public static final int MAX_BYTES = 1 << 20;

  public ScoutInput {
    tags = List.copyOf(tags);
    modules = List.copyOf(modules);
  }

  /** As scout reads it. */
  public String written() {
    return Stream.of(item, title, text, String.join("\n", tags), String.join("\n", modules))
        .map(part -> part.replace('\0', ' '))
        .collect(Collectors.joining("\0"));
  }

  /**
   * Reads what was written.
   *
   * @throws IOException if it is cut off or has neither a title nor a text
   */
  static ScoutInput read(byte[] input) throws IOException {
    String[] parts = new String(input, StandardCharsets.UTF_8).split("\0", -1);
    if (parts.length != 5) {
      throw new IOException("the input is cut off");
    }
    if (parts[1].isBlank() && parts[2].isBlank()) {
      throw new IOException("the input has neither a title nor a text");
    }
    return new ScoutInput(
        parts[0], parts[1], parts[2], parts[3].lines().toList(), parts[4].lines().toList());
  }
}
