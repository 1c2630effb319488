package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.prompt.DeepPrompt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The template of deep sessions: the bundled one, or a file of the operator.
 *
 * @param name what analyses record: {@code deep/3}; of an operator's file also the beginning of its
 *     hash, {@code mine/1+1a2b3c4d}
 */
public record DeepTemplate(String name, PromptTemplate template) implements Agent.Input {
  private static final String RESOURCE = "/prompts/deep.md";
  private static final int MAX_BYTES = 256 * 1024;

  /** The bundled template. */
  public static final DeepTemplate BUNDLED = bundled();

  @Override
  public String of(ItemKey item, SessionRequest request, Supplier<Codebase> codebase) {
    return DeepPrompt.of(template, item, request, codebase.get(), RandomGenerator.getDefault())
        .text();
  }

  @Override
  public String prompt() {
    return name;
  }

  /**
   * Reads an operator's file.
   *
   * @throws IllegalArgumentException if it cannot be read or is no template of a deep prompt; one
   *     line with the file and the fix
   */
  public static DeepTemplate file(Path file) {
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read; name a file with a prompt", e);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(file + " has more than 256 KiB; shorten the prompt");
    }
    PromptTemplate template = parse(file.toString(), bytes);
    return new DeepTemplate(template.version() + "+" + hash(bytes), template);
  }

  private static DeepTemplate bundled() {
    try (var in = DeepTemplate.class.getResourceAsStream(RESOURCE)) {
      PromptTemplate template =
          parse("prompts/deep.md", Objects.requireNonNull(in, RESOURCE).readAllBytes());
      return new DeepTemplate(template.version(), template);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PromptTemplate parse(String file, byte[] bytes) {
    return PromptTemplate.parse(
        file, new String(bytes, StandardCharsets.UTF_8), DeepPrompt.VARIABLES);
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
