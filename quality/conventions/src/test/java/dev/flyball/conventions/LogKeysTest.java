package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Log lines carry their values under keys of one list: a search for {@code session=} must find
 * every line of a session, whoever wrote it.
 */
final class LogKeysTest {
  private static final Pattern KEY = Pattern.compile("\\b([A-Za-z][A-Za-z.-]*)=\\{}");

  /** The list. Before adding a key, look for one that already means it. */
  private static final Set<String> KEYS =
      Set.of(
          // what a line is about
          "session",
          "item",
          "attempt",
          "pid",
          "level",
          "agent",
          "source",
          "target",
          "scope",
          "call",
          "batchId",
          "model",
          "type",
          "event",
          "entry",
          "step",
          "repository",
          "branch",
          "commit",
          "url",
          "path",
          "key",
          // where in Kafka
          "topic",
          "partition",
          "offset",
          "firstOffset",
          // how it went
          "state",
          "outcome",
          "exit",
          "signal",
          "reason",
          "cause",
          "detail",
          "interrupted",
          "complete",
          "from",
          // how much, how long
          "durationMs",
          "silentMs",
          "limitMs",
          "pauseMs",
          "millis",
          "age",
          "limit",
          "needed",
          "count",
          "bytes",
          "characters",
          "files",
          "steps",
          "sessions",
          "processes",
          "survivors",
          "ended",
          "waiting",
          "unwritten",
          "unsent",
          "deathsInARow");

  @Test
  @DisplayName("log lines use the keys of one fixed list")
  void logLinesUseTheKeysOfOneList() {
    var used = new TreeSet<String>();
    for (Messages.Message message : Messages.ofTheProduct()) {
      if (message.use() == Messages.Use.LOG) {
        KEY.matcher(message.text()).results().forEach(found -> used.add(found.group(1)));
      }
    }
    assertThat(KEYS).containsExactlyInAnyOrderElementsOf(used);
  }
}
