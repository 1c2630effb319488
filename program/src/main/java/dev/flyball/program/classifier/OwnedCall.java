package dev.flyball.program.classifier;

import dev.flyball.triage.classify.ModelCall;
import java.io.IOException;

/** A way to ask a model that holds something of this machine while it is open. One thread asks. */
public interface OwnedCall extends ModelCall, AutoCloseable {

  /**
   * Takes what calls need.
   *
   * @throws IOException if a call could never succeed here; one line with the fix
   */
  void open() throws IOException;

  /** Ends the call in flight and rejects further ones; any thread. */
  void cease();

  @Override
  void close();
}
