package dev.flyball.program.cli;

/** What a command names does not exist; the program prints the line and exits 1. */
final class NotFound extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotFound(String line) {
    super(line);
  }
}
