package dev.flyball.tracker.process;

/** How a call of a program ended. None of its processes runs any more. */
public sealed interface ProgramEnd {

  /**
   * It ended by itself.
   *
   * @param stdout all of it
   * @param stderr its beginning
   */
  record Ended(int exit, byte[] stdout, String stderr) implements ProgramEnd {}

  /** It was ended because it took too long. */
  record TimedOut() implements ProgramEnd {}

  /** It was ended because it wrote more than the limit. */
  record Flooded(long most) implements ProgramEnd {}

  /** It did not start: there is no such program, or it may not be executed. */
  record NotStarted() implements ProgramEnd {}
}
