package dev.flyball.producer.source.process;

/** How a call of a program ended. Nothing of it runs any more. */
public sealed interface Outcome {

  /**
   * By itself.
   *
   * @param stdout all of it
   * @param stderr its beginning
   */
  record Ended(int exit, byte[] stdout, String stderr) implements Outcome {}

  /** By us, because it took too long. */
  record TimedOut() implements Outcome {}

  /** By us, because it wrote more than is taken. */
  record Flooded(long most) implements Outcome {}

  /** It never began: there is no such program, or it may not be run. */
  record NotStarted() implements Outcome {}
}
