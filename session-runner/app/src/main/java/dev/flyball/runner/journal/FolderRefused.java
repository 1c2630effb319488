package dev.flyball.runner.journal;

import java.io.IOException;

/** The data folder or the journal in it cannot be used; the message is one line with the fix. */
public final class FolderRefused extends IOException {
  private static final long serialVersionUID = 1L;

  FolderRefused(String message) {
    super(message);
  }
}
