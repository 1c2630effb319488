package dev.flyball.tracker;

import java.nio.file.Path;

/**
 * Where a credential is stored. It is read again for each request, so that a replaced one applies
 * without a restart, and printing this object does not print the secret.
 */
public sealed interface Credential {

  /** There is none: only public content is read. */
  record None() implements Credential {}

  /** In an environment variable of the producer. */
  record Environment(String variable) implements Credential {}

  /** The first line of a file. */
  record InFile(Path file) implements Credential {}

  /** The first line that a shell command prints; it is kept until it expires. */
  record Command(String line) implements Credential {}
}
