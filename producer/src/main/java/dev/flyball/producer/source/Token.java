package dev.flyball.producer.source;

import java.nio.file.Path;

/**
 * Where a secret is. It is read anew for each poll, so that one that was replaced counts without a
 * restart, and nothing that prints this prints the secret.
 */
public sealed interface Token {

  /** There is none: what everybody may read. */
  record None() implements Token {}

  /** In an environment variable of the producer. */
  record Environment(String variable) implements Token {}

  /** The first line of a file. */
  record InFile(Path file) implements Token {}
}
