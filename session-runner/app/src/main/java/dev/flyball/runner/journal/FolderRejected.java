package dev.flyball.runner.journal;

import java.io.IOException;

/** The data folder or the journal in it cannot be used; the message is one line with the fix. */
public final class FolderRejected extends IOException {
  private static final long serialVersionUID = 1L;

  FolderRejected(String message) {
    super(message);
  }
}
