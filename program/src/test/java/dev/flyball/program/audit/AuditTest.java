package dev.flyball.program.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.CheckpointPart;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.program.audit.Audit.Report;
import dev.flyball.program.audit.Audit.Violation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("An audit finds what breaks a promise")
final class AuditTest {
  private static final Instant START = Instant.parse("2026-11-29T10:00:00Z");
  private static final String INIT = init(2, "");

  /** One entry a second, from offset 0. */
  private final List<String> ledger = new ArrayList<>();

  private final List<String[]> events = new ArrayList<>();

  static Stream<Arguments> broken() {
    return Stream.of(
        Arguments.of("INV-1", List.of(init(1, ""), claim("a", 1), claim("b", 2))),
        Arguments.of(
            "INV-1", List.of(INIT, scoped("cap", "tenant:acme", -1, "'limit':0"), claim("a", 1))),
        Arguments.of(
            "INV-1", List.of(INIT, scoped("pause", "source:acme/web", -1, "'n':1"), claim("a", 1))),
        Arguments.of(
            "INV-1",
            List.of(
                INIT,
                scoped("pause", "provider:anthropic", -1, "'until':'2026-11-29T11:00:00Z'"),
                claim("a", 1))),
        Arguments.of("INV-2", List.of(INIT, claim("a", 1), claim("b", 1))),
        Arguments.of("INV-8", List.of(init(2, "15"), claim("a", 1), claim("b", 2))),
        Arguments.of(
            "INV-8",
            List.of(init(2, "15"), claim("a", 1), release("a", "completed", 10), claim("b", 2))),
        Arguments.of(
            "INV-8", List.of(init(2, "15"), claim("a", 1), release("a", "lost", 0), claim("b", 2))),
        Arguments.of("INV-8", List.of(init(2, "15"), reserve("r", 6), claim("a", 1))),
        Arguments.of(
            "INV-8", List.of(init(2, "15"), reserve("r", 6), spend("r", 6), claim("a", 1))),
        Arguments.of(
            "INV-8",
            List.of(
                INIT,
                scoped("budget", "global", 0, "'limits':{'dailyTokens':5}"),
                "{'entry':'spend','tenant':'acme','ref':'r','costMicros':0,'tokens':5}",
                claim("a", 1))),
        // The second expire saw the claim, not the renewal after it.
        Arguments.of(
            "INV-2", List.of(INIT, claim("a", 1), renew("a", 1), expire("a", 1), claim("b", 1))),
        // An operator who had not seen the last change changes nothing.
        Arguments.of(
            "INV-1",
            List.of(
                init(1, ""),
                scoped("cap", "global", -1, "'limit':9"),
                claim("a", 1),
                claim("b", 2))));
  }

  @ParameterizedTest
  @MethodSource("broken")
  void oneBrokenPromise(String promise, List<String> entries) {
    ledger.addAll(entries);
    lived("a", "b");

    assertThat(audit().violations()).extracting(Violation::promise).containsOnly(promise);
  }

  static Stream<List<String>> kept() {
    return Stream.of(
        List.of(init(1, ""), claim("a", 1), release("a", "completed", 1), claim("b", 1)),
        List.of(init(1, ""), claim("a", 1), expire("a", 1), claim("b", 1)),
        List.of(init(1, ""), scoped("cap", "global", 0, "'limit':2"), claim("a", 1), claim("b", 2)),
        List.of(
            INIT, scoped("pause", "global", 0, "'until':'2026-11-29T10:00:02Z'"), claim("a", 1)),
        List.of(
            INIT,
            scoped("pause", "global", 0, "'n':1"),
            scoped("resume", "global", 1, "'n':1"),
            claim("a", 1)),
        List.of(
            init(2, "20"),
            claim("a", 1),
            renew("a", 6),
            release("a", "completed", 6),
            claim("b", 2)),
        List.of(init(2, "15"), reserve("r", 6), spend("r", 5), spend("r", 5), claim("a", 1)),
        List.of(
            init(2, "15"),
            scoped("budget", "global", 0, "'limits':{}"),
            claim("a", 1),
            claim("b", 2)));
  }

  @ParameterizedTest
  @MethodSource("kept")
  void noBrokenPromise(List<String> entries) {
    ledger.addAll(entries);
    lived("a", "b");

    assertThat(audit().violations()).isEmpty();
  }

  @Test
  @DisplayName("Counts say what was read, also of a claim that had no effect and so has no event")
  void counts() {
    ledger.addAll(
        List.of(
            INIT, claim("a", 1), claim("lost-race", 1), claim("b", 2), release("a", "failed", 1)));
    lived("a", "b");

    assertThat(audit()).isEqualTo(new Report(List.of(), 5, 1, 1, 2));
  }

  @Test
  void survivorsAndEndsAreReadFromTheEvents() {
    ledger.addAll(List.of(INIT, claim("a", 1), release("a", "completed", 1)));
    event("claimed", "{'session':'a'}");
    event("completed", "{'session':'a','survivors':2}");
    event("lost", "{'session':'a'}");

    assertThat(audit().violations())
        .containsExactly(
            new Violation("INV-5", "session a: 2 processes outlived it"),
            new Violation("INV-6", "session a: 2 terminal events: completed, lost"));
  }

  @Test
  @DisplayName("An end may be a minute late: the events follow the ledger")
  void anEndThatIsMissing() {
    ledger.addAll(List.of(INIT, claim("a", 1), release("a", "completed", 1)));
    event("spawned", "{'session':'a'}");
    assertThat(audit().violations()).isEmpty();

    for (int i = 0; i < 61; i++) {
      ledger.add("{'entry':'settled'}");
    }
    assertThat(audit().violations())
        .containsExactly(new Violation("INV-6", "session a: no terminal event"));
  }

  @Test
  @DisplayName("A ledger that was cut is read from its first whole checkpoint")
  void cut() {
    ledger.addAll(
        List.of(
            init(2, "20"),
            claim("a", 1),
            renew("a", 1),
            scoped("cap", "tenant:acme", -1, "'limit':1"),
            claim("b", 2)));
    LedgerState state = LedgerState.empty();
    for (int i = 0; i < 4; i++) {
      state = state.fold(LedgerEntry.parse(bytes(i)).orElseThrow(), i, time(i)).state();
    }
    LedgerSnapshot whole = state.snapshot();
    int half = whole.state().length() / 2;
    checkpoint(1, state, whole.state().substring(0, half));
    assertThat(audit(2).needsCheckpoint()).isTrue();
    checkpoint(2, state, whole.state().substring(half));
    ledger.add(claim("c", 1));
    lived("a", "b", "c");

    assertThat(audit(2).report().violations()).isNotEmpty().isEqualTo(audit().violations());
    assertThat(audit(2).report().most()).isEqualTo(audit().most());
  }

  private void checkpoint(int number, LedgerState state, String piece) {
    ledger.add(
        RecordJson.write(
            new LedgerEntry.Checkpoint(
                state.offset(),
                state.rules(),
                new CheckpointPart("one", number, number == 2),
                new LedgerSnapshot(state.digest(), piece))));
  }

  private byte[] bytes(int offset) {
    return RecordJson.bytes(json(ledger.get(offset)));
  }

  private static Instant time(int offset) {
    return START.plusSeconds(offset);
  }

  private Report audit() {
    return audit(0).report();
  }

  /** The audit of a ledger whose entries below an offset were cut. */
  private Audit audit(int from) {
    var audit = new Audit();
    events.forEach(each -> audit.event("flyball.session." + each[0] + ".v1", json(each[1])));
    for (int i = from; i < ledger.size(); i++) {
      audit.entry(i, time(i).toEpochMilli(), json(ledger.get(i)));
    }
    return audit;
  }

  private void event(String kind, String data) {
    events.add(new String[] {kind, data});
  }

  private void lived(String... sessions) {
    for (String session : sessions) {
      event("claimed", "{'session':'" + session + "'}");
      event("completed", "{'session':'" + session + "','survivors':0}");
    }
  }

  private static JsonNode json(String text) {
    return RecordJson.parse(text.startsWith("{'") ? text.replace('\'', '"') : text);
  }

  private static String init(int cap, String dailyMicros) {
    String budget =
        dailyMicros.isEmpty()
            ? ""
            : "{'scope':'global','limits':{'dailyCostMicros':" + dailyMicros + "}}";
    return "{'entry':'init','cap':%d,'leaseMs':45000,'budgets':[%s]}".formatted(cap, budget);
  }

  private static String claim(String session, int item) {
    return """
    {'entry':'claim','session':'%s','item':'acme/web/%d','reserve':10,'provider':'anthropic/opus',\
    'request':'%s','requestAt':{'partition':0,'offset':1},'readTo':9,'attempt':1,'runner':'r','rules':1}\
    """
        .formatted(session, item, session);
  }

  private static String renew(String session, int micros) {
    return "{'entry':'renew','n':1,'sessions':[{'session':'%s','tokens':0,'costMicros':%d}]}"
        .formatted(session, micros);
  }

  private static String release(String session, String outcome, int micros) {
    return "{'entry':'release','session':'%s','outcome':'%s','costMicros':%d,'receipt':{'level':'A'}}"
        .formatted(session, outcome, micros);
  }

  private static String expire(String session, int seen) {
    return "{'entry':'expire','session':'%s','seen':%d}".formatted(session, seen);
  }

  private static String reserve(String ref, int micros) {
    return "{'entry':'reserve','tenant':'acme','ref':'%s','costMicros':%d}".formatted(ref, micros);
  }

  private static String spend(String ref, int micros) {
    return "{'entry':'spend','tenant':'acme','ref':'%s','costMicros':%d}".formatted(ref, micros);
  }

  private static String scoped(String kind, String scope, int seen, String rest) {
    return "{'entry':'%s','scope':'%s','seen':%d,'who':'ana','why':'test',%s}"
        .formatted(kind, scope, seen, rest);
  }
}
