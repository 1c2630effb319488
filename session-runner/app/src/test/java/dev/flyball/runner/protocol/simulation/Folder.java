package dev.flyball.runner.protocol.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A runner's data folder: its journal. It survives the process, and somebody may copy it to another
 * machine.
 */
final class Folder {
  final String runnerId;
  final Map<String, Row> journal = new LinkedHashMap<>();

  Folder(String runnerId) {
    this.runnerId = runnerId;
  }

  record Row(Tree tree, String bootId) {}

  Folder copy() {
    var copy = new Folder(runnerId);
    copy.journal.putAll(journal);
    return copy;
  }
}
