package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.program.launch.Workplace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Items that change, two runners, and an agent that stores its sessions as claude does. */
@Tag("long")
@DisplayName("S3-10: an item's next session goes to the runner that stores the one before it")
final class SessionHomeIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int ITEMS = 3;
  private static final int ROUNDS = 3;

  private static final String CLAUDE =
      """
      case "$*" in *--version*) echo "2.1.223 (Claude Code)"; exit ;; esac
      cat > /dev/null
      id=$(printf '%s\\n' "$*" | sed -n 's/.*--\\(session-id\\|resume\\) \\([^ ]*\\).*/\\2/p')
      echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"m"}'
      echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"so"}],"usage":{"input_tokens":7,"output_tokens":1}}}'
      echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"see Main.java:1","total_cost_usd":0}'
      """;

  @Test
  void aSessionFollowsItsHomeAsLongAsThatRunnerLives(@TempDir Path folder) {
    try (var cluster = Cluster.in(folder, "").configure(4, Workplace.SCALED)) {
      cluster
          .place
          .change("agent: \"[^\"]*\"", "agent: claude")
          .change("triage: \\{", "triage: {classifier: rules, ");
      cluster.with(cluster.place.claude(CLAUDE)).start(2);

      Map<String, String> homes = runnersOf(changed(cluster, 1));
      int atHome = 0;
      for (int round = 2; round <= ROUNDS; round++) {
        List<LifecycleEvent> sessions = changed(cluster, round);
        Map<String, String> known = homes;
        assertThat(sessions)
            .as("reused at home, and only there")
            .allMatch(
                each -> reused(each) == text(each, Field.RUNNER).equals(known.get(each.subject())));
        atHome += (int) sessions.stream().filter(SessionHomeIT::reused).count();
        homes = runnersOf(sessions);
      }
      assertThat(atHome).as("left to their homes").isGreaterThan(ITEMS * (ROUNDS - 1) / 2);

      String gone = homes.values().iterator().next();
      cluster.runners.stream()
          .filter(each -> (each.out() + each.err()).contains("id=" + gone))
          .findFirst()
          .orElseThrow()
          .kill9();
      List<LifecycleEvent> after = changed(cluster, ROUNDS + 1);
      Map<String, String> before = homes;
      assertThat(after)
          .as("another runner takes them, and starts fresh")
          .filteredOn(each -> gone.equals(before.get(each.subject())))
          .isNotEmpty()
          .noneMatch(SessionHomeIT::reused)
          .noneMatch(each -> text(each, Field.RUNNER).equals(gone));
    }
  }

  private static boolean reused(LifecycleEvent spawned) {
    return text(spawned, Field.REUSED).equals("true");
  }

  /** Changes each item and waits for its session; returns the events of their starts. */
  private static List<LifecycleEvent> changed(Cluster cluster, int round) {
    for (int i = 0; i < ITEMS; i++) {
      cluster.place.add(i, round);
    }
    LedgerAudit audit =
        await("the sessions of round " + round)
            .atMost(PATIENCE)
            .until(
                () -> cluster.awaitSettled(PATIENCE),
                it -> it.count(EventType.SESSION_COMPLETED) >= (long) ITEMS * round);
    return audit.events.stream()
        .filter(each -> each.type() == EventType.SESSION_SPAWNED)
        .collect(Collectors.groupingBy(LifecycleEvent::subject))
        .values()
        .stream()
        .map(List::getLast)
        .toList();
  }

  private static Map<String, String> runnersOf(List<LifecycleEvent> spawned) {
    return spawned.stream()
        .collect(Collectors.toMap(LifecycleEvent::subject, each -> text(each, Field.RUNNER)));
  }

  private static String text(LifecycleEvent event, Field field) {
    return event.data().text(field).orElse("");
  }
}
