package dev.flyball.triage.item;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Exclusion;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.Input.SessionRef;
import dev.flyball.triage.item.MachineSettings.ItemBudget;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import dev.flyball.triage.item.MachineSettings.RetryLimits;
import dev.flyball.triage.item.MachineSettings.ReuseLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One item's story: each call is one input to the real machine; what it did is kept for assertions.
 */
final class ItemStory {
  static final ItemKey KEY = ItemKey.parse("acme/items/1");
  static final MachineSettings SETTINGS = settings(OnNewer.FINISH, Routing.NONE, ItemBudget.NONE);

  private static final Pattern SNAPSHOT =
      Pattern.compile(
          "(?<content>[a-z]+)(@(?<revision>[a-z0-9]+))?(?<marks>[!?]*)(-(?<lacks>[a-z+]+))?");

  private final ItemKey key;
  private final ItemMachine machine;
  private final List<TriageEffect> all = new ArrayList<>();
  private Item item = Item.UNKNOWN;
  private Questions questions = Questions.NONE;
  private List<TriageEffect> last = List.of();
  private Instant now = Instant.parse("2026-11-21T08:00:00Z");
  private long offset;
  private long token;
  private @Nullable SessionRef session;

  static MachineSettings settings(OnNewer onNewer, Routing routing, ItemBudget budget) {
    return new MachineSettings(
        RetryLimits.defaults(), onNewer, routing, Duration.ofHours(1), budget, ReuseLimits.DEFAULT);
  }

  ItemStory() {
    this(SETTINGS);
  }

  /** Of another item. */
  ItemStory(ItemKey key) {
    this(key, SETTINGS);
  }

  ItemStory(MachineSettings settings) {
    this(KEY, settings);
  }

  private ItemStory(ItemKey key, MachineSettings settings) {
    this.key = key;
    machine = new ItemMachine(settings);
  }

  static Snapshot snapshot(String content) {
    return snapshot(content, content, 1, false, true);
  }

  static Snapshot closed(String content) {
    return snapshot(content, content, 1, true, true);
  }

  static Snapshot snapshot(
      String content, String revision, int version, boolean closed, boolean newest) {
    Fingerprint hashed = Fingerprint.of(new TreeMap<>(Map.of("text", content)));
    return new Snapshot(
        revision,
        "Title",
        content,
        closed ? "Closed" : "Active",
        closed,
        "Bug",
        2,
        List.of(),
        null,
        Instant.parse("2026-02-10T08:00:00Z").plusSeconds(moment(revision)),
        null,
        newest,
        new Fingerprint(version + ":text", version == 1 ? hashed.hash() : "v" + hashed.hash()),
        null,
        null);
  }

  /** Revisions are in order of length, then of the alphabet: a, b, r9, r10, again. */
  private static long moment(String revision) {
    long first = 0;
    for (int i = 0; i < 4; i++) {
      first = first * 128 + (i < revision.length() ? revision.charAt(i) : 0);
    }
    return revision.length() * 128L * 128 * 128 * 128 + first;
  }

  ItemStory seen(Snapshot snapshot) {
    return step(new Input.SnapshotSeen(origin("flyball.work-items"), snapshot));
  }

  /** The newest question is answered. */
  ItemStory verdict(boolean deep) {
    return verdict(questions().getLast(), deep);
  }

  ItemStory verdict(String triage, boolean deep) {
    return verdict(Sample.verdict(triage, deep));
  }

  ItemStory verdict(Verdict verdict) {
    return step(new Input.VerdictGiven(origin("flyball.triage-verdicts"), verdict));
  }

  /** The classifier says that it cannot answer yet. */
  ItemStory deferredVerdict(String why) {
    return step(new Input.VerdictDeferred(origin("flyball.triage-verdicts"), why));
  }

  /** A claim of the newest request takes effect; gives the session. */
  SessionRef claimed() {
    return claimed(request().request());
  }

  SessionRef claimed(String request) {
    token++;
    var ref = new SessionRef("s" + token, new Token("L", token), request);
    reported(ref, EventType.SESSION_CLAIMED, EventData.EMPTY.with(Field.RUNNER, "r1"));
    return ref;
  }

  /** The ledger or a runner says something of a session. */
  ItemStory reported(SessionRef ref, EventType type, EventData data) {
    return step(new Input.SessionReported(origin("flyball.session-events"), ref, type, now, data));
  }

  /** The runner reports that the agent was started, or what it learnt of it. */
  ItemStory observed(SessionRef ref, EventData facts) {
    return reported(ref, EventType.SESSION_IDENTIFIED, facts);
  }

  ItemStory result(SessionRef ref) {
    return result(ref, Outcome.COMPLETED);
  }

  ItemStory result(SessionRef ref, Outcome outcome) {
    return result(ref, outcome, 0);
  }

  ItemStory result(SessionRef ref, Outcome outcome, long costMicros) {
    return result(
        ref,
        EventData.EMPTY.with(Field.OUTCOME, outcome.label()).with(Field.COST_MICROS, costMicros));
  }

  ItemStory result(SessionRef ref, EventData figures) {
    EventData data =
        figures.with(
            Field.RESULT,
            new SessionResult(
                "abc", "answer of " + ref.session(), List.of(), false, "scout", null, null));
    return reported(ref, EventType.SESSION_RESULT, data);
  }

  ItemStory released(SessionRef ref, Outcome outcome, String reason) {
    return released(ref, outcome, null, reason);
  }

  private ItemStory released(
      SessionRef ref, Outcome outcome, @Nullable Failure failure, String reason) {
    return released(
        ref,
        outcome,
        EventData.EMPTY
            .with(Field.FAILURE, failure)
            .with(Field.REASON, reason)
            .with(Field.TOKENS, 70L)
            .with(Field.RECEIPT, Receipt.notStarted()));
  }

  /** A release with these figures. */
  ItemStory released(SessionRef ref, Outcome outcome, EventData figures) {
    EventData data =
        figures
            .with(Field.ENDED_BY, "released")
            .with(Field.WAITING_MS, 10L)
            .with(Field.RUNNING_MS, 20L)
            .with(Field.REPORTING_MS, 30L)
            .with(Field.COST_MICROS, 7L)
            .with(Field.OUTCOME, outcome.label());
    return reported(ref, EventType.SESSION_LEASE_ENDED, data);
  }

  ItemStory expired(SessionRef ref) {
    return expired(ref, 0);
  }

  ItemStory expired(SessionRef ref, long bookedMicros) {
    EventData data =
        EventData.EMPTY
            .with(Field.ENDED_BY, "expired")
            .with(Field.COST_MICROS, bookedMicros)
            .with(Field.RECEIPT, Receipt.unknown())
            .with(Field.OUTCOME, Outcome.LOST.label());
    return reported(ref, EventType.SESSION_LEASE_ENDED, data);
  }

  ItemStory command(Command command) {
    return step(new Input.CommandGiven(origin("flyball.commands"), command));
  }

  /** A command by its word, with an id of its own. */
  ItemStory command(String word) {
    return command(word, "c" + offset);
  }

  ItemStory command(String word, String id) {
    return command(
        switch (word) {
          case "cancel" -> new Command.Cancel(id, "ada", now, "not now", null);
          case "retry" -> new Command.Retry(id, "ada", now, "not now");
          case "skip" -> new Command.Skip(id, "ada", now, "not now");
          case "forget" -> new Command.Forget(id, "ada", now, "not now");
          case "redeliver" ->
              new Command.Redeliver(
                  id, "ada", now, "not now", Sample.analysis("answer", "s-1", "ledger:1"));
          default -> throw new IllegalArgumentException(word);
        });
  }

  ItemStory requeue(Snapshot snapshot) {
    return command(
        new Command.Requeue("c" + offset, "ada", now, "not now", snapshot, new Position(3, 33)));
  }

  /** Brings a new item to where the word says. */
  ItemStory brought(String word) {
    return switch (word) {
      case "triaging" -> seen(snapshot("a"));
      case "skipped" -> seen(snapshot("a")).verdict(false);
      case "queued" -> queued("a");
      case "running" -> {
        queued("a").claimed();
        yield this;
      }
      case "analyzed" -> queued("a").session(Outcome.COMPLETED, "done");
      case "failed" -> queued("a").session(Outcome.FAILED, "exit 1");
      case "dead" -> queued("a").failed(Failure.Kind.POISON, "too long");
      case "cancelled" -> queued("a").command("cancel", "first");
      case "closed" -> seen(closed("a"));
      case "unknown" -> this;
      default -> throw new IllegalArgumentException(word);
    };
  }

  /**
   * Reads what a line says, word by word. A lower-case word is a snapshot: its content, then
   * {@code @} and a revision that differs from it, then {@code !} if it is closed, {@code ?} if a
   * newer one of its poll follows, {@code -label} or {@code -start} if its source excludes it for
   * that. {@code /word} is a command, {@code /requeue:} one with a snapshot, and an upper-case word
   * the classifier's answer, what becomes of the session, or {@code DUE} the due time.
   */
  ItemStory reads(String line) {
    for (String word : line.split(" ")) {
      if (word.startsWith("/requeue:")) {
        requeue(parsed(word.substring(9)));
      } else if (word.startsWith("/")) {
        command(word.substring(1));
      } else if (word.equals(word.toUpperCase(Locale.ROOT))) {
        happens(word);
      } else {
        seen(parsed(word));
      }
    }
    return this;
  }

  private void happens(String word) {
    switch (word) {
      case "YES", "NO" -> verdict(word.equals("YES"));
      case "OLD" -> verdict(questions().getFirst(), true);
      case "CLAIM" -> session = claimed();
      // A request that was replaced is claimed late.
      case "LATE" -> session = claimed(requests().getFirst().request());
      case "RESULT" -> result(session());
      case "DONE" -> result(session()).released(session(), Outcome.COMPLETED, "done");
      case "EXPIRED" -> expired(session());
      case "POISON" ->
          released(session(), Outcome.FAILED, new Failure(Failure.Kind.POISON, "code"), "too long");
      case "DUE" -> due();
      default -> released(session(), Outcome.valueOf(word), "because");
    }
  }

  /**
   * What the last step did: its events and {@code ANALYSIS} for one that is published, the phase
   * with the content that it is about, and the content and attempt of the request that waits or
   * runs.
   */
  void ends(@Nullable String effects, String phase, @Nullable String request) {
    assertThat(
            last.stream()
                .map(effect ->
                    switch (effect) {
                      case TriageEffect.Emit(LifecycleEvent event) ->
                          event.type().type().replaceAll(".*\\.([a-zA-Z]+)\\.v\\d+", "$1");
                      case TriageEffect.Publish _ -> "ANALYSIS";
                      default -> "";
                    })
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining(" ")))
        .isEqualTo(effects == null ? "" : effects);
    ItemState state = item.state();
    assertThat(state == null ? "unknown" : state.phase().word() + " " + state.snapshot().text())
        .isEqualTo(phase);
    SessionRequest standing = standing();
    assertThat(
            standing == null
                ? null
                : standing.snapshot().text()
                    + (standing.attempt() == 1 ? "" : "/" + standing.attempt()))
        .isEqualTo(request);
  }

  private static Snapshot parsed(String word) {
    Matcher parts = SNAPSHOT.matcher(word);
    assertThat(parts.matches()).as(word).isTrue();
    String content = parts.group("content");
    String revision = parts.group("revision") == null ? content : parts.group("revision");
    String marks = parts.group("marks");
    Snapshot made = snapshot(content, revision, 1, marks.contains("!"), !marks.contains("?"));
    String lacks = parts.group("lacks");
    return lacks == null
        ? made
        : Sample.with(
            made,
            Map.of(
                "exclusion",
                new Exclusion(
                    lacks.contains("start"), lacks.contains("label") ? "label agent" : null)));
  }

  private SessionRef session() {
    return Objects.requireNonNull(session, "no session was claimed");
  }

  /** The ids of the item's questions. */
  List<String> questions() {
    return all.stream()
        .filter(TriageEffect.Ask.class::isInstance)
        .map(e -> ((TriageEffect.Ask) e).question().triage())
        .toList();
  }

  /** From unknown to a waiting request. */
  ItemStory queued(String content) {
    return seen(snapshot(content)).verdict(true);
  }

  /** A session from claim to release. */
  ItemStory session(Outcome outcome, String reason) {
    SessionRef ref = claimed();
    if (outcome == Outcome.COMPLETED) {
      result(ref);
    }
    return released(ref, outcome, reason);
  }

  /** A session that ended without an answer. */
  ItemStory failed(Failure.Kind kind, String reason) {
    return released(claimed(), Outcome.FAILED, new Failure(kind, "code"), reason);
  }

  ItemStory after(Duration time) {
    now = now.plus(time);
    return this;
  }

  /** The clock goes to the item's due time; a classifier that works has answered others since. */
  ItemStory due() {
    return due(Long.MAX_VALUE);
  }

  /** The same, where a session that ended left a due time. */
  ItemStory dueIfDeferred() {
    return phase() instanceof ItemPhase.Failed ? due() : this;
  }

  /** The same as {@link #due()} where the classifier has come to the question of this number. */
  ItemStory due(long answered) {
    questions = new Questions(questions.asked(), answered);
    Instant at = known().phase().dueAt().orElseThrow();
    now = at.isAfter(now) ? at : now;
    return step(new Input.DueReached(InputPosition.due(at)));
  }

  /** What the machine does about the known snapshot again, without its item. */
  List<TriageEffect> repeated(InputPosition origin, ItemMachine.Repeat repeat) {
    return machine.repeated(key, origin, repeat, now);
  }

  ItemStory step(Input input) {
    ItemMachine.Decision decision = machine.decide(key, item, input, now, questions);
    assertThat(machine.decide(key, item, input, now, questions))
        .as("the same decision again")
        .isEqualTo(decision);
    questions = questions.after(item, decision.item());
    item = decision.item();
    last = decision.effects();
    all.addAll(last);
    return this;
  }

  Item item() {
    return item;
  }

  ItemState known() {
    return Objects.requireNonNull(item.state());
  }

  ItemPhase phase() {
    return known().phase();
  }

  List<TriageEffect> last() {
    return last;
  }

  List<TriageEffect> all() {
    return all;
  }

  Instant now() {
    return now;
  }

  InputPosition origin(String topic) {
    return new InputPosition(topic, 0, offset++, 1_000);
  }

  List<LifecycleEvent> events() {
    return events(all);
  }

  static List<LifecycleEvent> events(List<TriageEffect> effects) {
    return effects.stream()
        .filter(TriageEffect.Emit.class::isInstance)
        .map(e -> ((TriageEffect.Emit) e).event())
        .toList();
  }

  List<EventType> lastTypes() {
    return events(last).stream().map(LifecycleEvent::type).toList();
  }

  long count(EventType type) {
    return events().stream().filter(e -> e.type() == type).count();
  }

  /** What stands in session-requests now. */
  @Nullable SessionRequest standing() {
    SessionRequest standing = null;
    for (TriageEffect effect : all) {
      if (effect instanceof TriageEffect.Request request) {
        standing = request.request();
      } else if (effect instanceof TriageEffect.Withdraw) {
        standing = null;
      }
    }
    return standing;
  }

  /** Every request that was ever made. */
  List<SessionRequest> requests() {
    return all.stream()
        .filter(TriageEffect.Request.class::isInstance)
        .map(e -> ((TriageEffect.Request) e).request())
        .toList();
  }

  SessionRequest request() {
    return Objects.requireNonNull(standing(), "no request stands");
  }

  LifecycleEvent event(EventType type) {
    return events().stream().filter(e -> e.type() == type).findFirst().orElseThrow();
  }
}
