package dev.flyball.contract.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Texts that come with Flyball. */
public final class BundledText {
  private BundledText() {}

  /**
   * A text that is kept beside code.
   *
   * @param owner the class beside whose code it is
   * @param name its name there, or its place on the class path
   */
  public static String of(Class<?> owner, String name) {
    try (var in = Objects.requireNonNull(owner.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
