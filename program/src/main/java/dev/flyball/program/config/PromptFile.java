package dev.flyball.program.config;

import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.contract.text.PromptTemplate.Variables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads an operator's file with the template of a prompt. */
final class PromptFile {
  private static final int MAX_BYTES = 256 * 1024;

  private PromptFile() {}

  /**
   * Reads the file.
   *
   * @throws IllegalArgumentException if it cannot be read or is no template of these variables; one
   *     line with the file and the fix
   */
  static PromptTemplate read(Path file, Variables variables) {
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read; name a file with a prompt", e);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(file + " has more than 256 KiB; shorten the prompt");
    }
    return PromptTemplate.own(file.toString(), bytes, variables);
  }
}
