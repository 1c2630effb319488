package dev.flyball.testkit;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.Verdict;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records with values that a test does not depend on. A test names only what it is about, so that a
 * new field of a record changes this class alone.
 */
public final class Sample {
  private static final Fingerprint FINGERPRINT = new Fingerprint("1:text", "00");

  private Sample() {}

  /** The record with other values of these components; {@link NullNode} means null. */
  public static <T extends Record> T with(T record, Map<String, ?> values) {
    List<String> names =
        Arrays.stream(record.getClass().getRecordComponents())
            .map(RecordComponent::getName)
            .toList();
    var tree = (ObjectNode) RecordJson.tree(record);
    values.forEach((name, value) -> {
      if (!names.contains(name)) {
        throw new IllegalArgumentException(name);
      }
      tree.set(name, RecordJson.tree(value));
    });
    @SuppressWarnings("unchecked")
    var type = (Class<T>) record.getClass();
    return RecordJson.read(tree.toString(), type);
  }

  /** An open bug of priority 2, revision 1. */
  public static Snapshot snapshot() {
    return snapshot("Search is slow", "The search takes 30 s.");
  }

  /** An open bug of priority 2, revision 1; its fingerprint is the same for every text. */
  public static Snapshot snapshot(String title, String text) {
    return snapshot("1", title, text, FINGERPRINT);
  }

  /** An open item of this type, priority 2, with these tags and no others. */
  public static Snapshot snapshot(String type, String title, String text, List<String> tags) {
    return with(snapshot(title, text), Map.of("type", type, "tags", tags));
  }

  /** What an agent answered in session {@code s1} on revision 1. */
  public static Analysis answer(
      String agent, @Nullable String commit, String text, Analysis.Passage... files) {
    Object known = commit == null ? NullNode.instance : commit;
    return with(
        analysis(text, "s1", "t"),
        Map.of("agent", agent, "commit", known, "files", List.of(files)));
  }

  /** An open bug whose fingerprint is that of its text. */
  public static Snapshot fingerprinted(String revision, String text) {
    return snapshot(revision, "Title", text, Fingerprint.of(new TreeMap<>(Map.of("text", text))));
  }

  /** An open bug of priority 2 that is tagged as wanted, so the rules give it a session. */
  public static Snapshot snapshot(
      String revision, String title, String text, Fingerprint fingerprint) {
    return new Snapshot(
        revision,
        title,
        text,
        "Active",
        false,
        "Bug",
        2,
        List.of("needs-analysis"),
        null,
        null,
        null,
        true,
        fingerprint,
        null,
        null);
  }

  /** An item whose first snapshot this is; no session of it ended yet. */
  public static ItemState state(
      Snapshot snapshot, ItemPhase phase, long spentMicros, Instant updatedAt) {
    return new ItemState(
        ItemState.SCHEMA,
        snapshot,
        new Position(0, 0),
        null,
        phase,
        null,
        List.of(),
        spentMicros,
        0,
        updatedAt,
        null,
        null);
  }

  /** The item deserves a session. */
  public static Verdict verdict() {
    return verdict("t", true);
  }

  /** The answer of the rules to a question. */
  public static Verdict verdict(String question, boolean deep) {
    return new Verdict(question, deep, 3, List.of(), 2, "because", "rules/2", "b1", 0, null);
  }

  /** A claim of runner r1 that takes effect in any ledger where the item may have a session. */
  public static LedgerEntry.Claim claim(String item, String request, String session) {
    ItemKey key = ItemKey.parse(item);
    return new LedgerEntry.Claim(
        request, new Position(0, 0), 9, key, 1, session, "r1", null, LedgerState.RULES, 0);
  }

  /** The end of a session that was completed without a cost. */
  public static LedgerEntry.Release release(String session) {
    return new LedgerEntry.Release(
        session,
        Outcome.COMPLETED,
        null,
        null,
        0,
        null,
        Timings.ZERO,
        0,
        0,
        Receipt.notStarted(),
        null);
  }

  /** The first attempt's request, at priority 2 and without a provider. */
  public static SessionRequest request(String id, Instant since, Snapshot snapshot) {
    return request(id, 2, since, null, snapshot);
  }

  /** The first attempt's request. */
  public static SessionRequest request(
      String id, int priority, Instant since, @Nullable String provider, Snapshot snapshot) {
    return new SessionRequest(
        id,
        1,
        priority,
        since,
        new Route(Route.DEFAULT, null, provider),
        snapshot,
        verdict(),
        null,
        null);
  }

  /** The bundled agent's analysis of revision 1, which names no file. */
  public static Analysis analysis(String text, String session, String token) {
    return new Analysis(
        "1",
        FINGERPRINT,
        null,
        text,
        List.of(),
        0,
        "scout",
        null,
        session,
        token,
        Instant.EPOCH,
        null,
        null,
        null);
  }
}
