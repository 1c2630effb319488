package dev.flyball.program.classifier;

import dev.flyball.triage.classify.ModelCall;

/** A way to ask a model that holds something of this machine while it is open. One thread asks. */
public interface OwnedCall extends ModelCall, AutoCloseable {

  /**
   * Takes what calls need.
   *
   * @throws StartFailure if a call could never succeed here; one line with the fix
   */
  void open();

  /** Ends the call in flight and rejects further ones; any thread. */
  void cease();

  @Override
  void close();
}
