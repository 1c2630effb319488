package dev.flyball.program.audit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks what Kafka holds against INV-1, 2, 5, 6 and 8, with a fold that shares no code with that
 * of the runners: what were wrong there would not be seen by a check that uses it.
 *
 * <p>Sessions are what session-events reports. In which order they held the permit is read from
 * session-ledger: a session holds it from its claim to its release, or to an expire that saw its
 * last renewal. {@code examples/audit.py} does the same and prints the same lines.
 *
 * <p>Pure. Takes every event, then every entry of the ledger in the order of offsets. A ledger that
 * does not begin at offset 0 was cut, so the fold begins at its first whole checkpoint.
 */
public final class Audit {
  private static final Set<String> ENDS =
      Set.of("completed", "failed", "timedOut", "cancelled", "interrupted", "lost");

  /** How long the terminal event may take after the end of a lease, by append time. */
  private static final long LATE_MS = Duration.ofMinutes(1).toMillis();

  /** How long money is held back for a triage call whose writer is gone. */
  private static final long LONGEST_HELD_MS = Duration.ofHours(1).toMillis();

  private static final String GLOBAL = "global";

  /**
   * A broken promise.
   *
   * @param promise for example {@code INV-1}
   * @param text what happened where, one line
   */
  public record Violation(String promise, String text) {}

  /**
   * What the topics add up to.
   *
   * @param entries how many entries of the ledger were read
   * @param ended sessions whose lease ended
   * @param live sessions whose lease is open
   * @param most most leases that were open at one time
   */
  public record Report(List<Violation> violations, long entries, int ended, int live, int most) {}

  private record Entry(long offset, long time, JsonNode value) {
    String text(String field) {
      return value.path(field).asText();
    }
  }

  /** An open lease; {@code seen} is the offset of its claim or last renewal. */
  private record Open(String item, List<String> scopes, long reserve, Amount used, long seen) {}

  private record Amount(long micros, long tokens) {
    static final Amount NONE = new Amount(0, 0);

    static Amount of(JsonNode entry) {
      return new Amount(entry.path("costMicros").asLong(), entry.path("tokens").asLong());
    }

    Amount plus(Amount more) {
      return new Amount(micros + more.micros, tokens + more.tokens);
    }

    Amount atLeast(Amount other) {
      return new Amount(Math.max(micros, other.micros), Math.max(tokens, other.tokens));
    }

    Amount minus(Amount booked) {
      return new Amount(micros - booked.micros, tokens - booked.tokens);
    }
  }

  private record Hold(List<String> scopes, long micros, long since) {}

  private record Spent(String scope, long day) {}

  private final List<Violation> violations = new ArrayList<>();
  private final Set<String> known = new HashSet<>();
  private final Map<String, List<String>> terminals = new LinkedHashMap<>();

  private final Map<String, Open> open = new LinkedHashMap<>();
  private final Map<String, Long> ended = new LinkedHashMap<>();
  private final Map<String, Hold> holds = new LinkedHashMap<>();
  private final Set<String> booked = new HashSet<>();
  private final Map<String, Long> caps = new HashMap<>(Map.of(GLOBAL, 0L));
  private final Map<String, Amount> limits = new HashMap<>();
  private final Map<String, Long> pausedUntil = new HashMap<>();
  private final Map<String, Long> lastOfScope = new HashMap<>();
  private final Map<Spent, Amount> spent = new HashMap<>();
  private boolean seeded;
  private long entries;
  private long now;
  private int most;

  /** Entries of a ledger that was cut, until its first whole checkpoint. */
  private final List<Entry> waiting = new ArrayList<>();

  private final Map<String, StringBuilder> checkpoints = new HashMap<>();
  private boolean folding;

  /**
   * Takes an event.
   *
   * @param type its header {@code ce_type}, for example {@code flyball.session.completed.v1}
   */
  public void event(String type, JsonNode data) {
    String kind = type.replaceFirst("^flyball\\.session\\.", "").replaceFirst("\\.v1$", "");
    String session = data.path("session").asText();
    if (kind.equals("claimed") || kind.equals("spawned") || ENDS.contains(kind)) {
      known.add(session);
    }
    if (ENDS.contains(kind)) {
      terminals.computeIfAbsent(session, each -> new ArrayList<>()).add(kind);
    }
    long survivors = data.path("survivors").asLong();
    if (ENDS.contains(kind) && survivors != 0) {
      broken("INV-5", "session " + session + ": " + survivors + " processes outlived it");
    }
  }

  /**
   * Takes an entry of the ledger.
   *
   * @param time its append time, milliseconds since the epoch
   */
  public void entry(long offset, long time, JsonNode value) {
    entries++;
    var entry = new Entry(offset, time, value);
    folding = folding || offset == 0;
    if (folding) {
      fold(entry);
      return;
    }
    waiting.add(entry);
    if (entry.text("entry").equals("checkpoint")) {
      beginAt(entry);
    }
  }

  /** Whether no entry was folded yet, because the ledger was cut and has no whole checkpoint. */
  public boolean needsCheckpoint() {
    return !folding && !waiting.isEmpty();
  }

  /** What was found. */
  public Report report() {
    var all = new ArrayList<>(violations);
    terminals.forEach((session, kinds) -> {
      if (kinds.size() > 1) {
        String several = kinds.size() + " terminal events: " + String.join(", ", kinds);
        all.add(new Violation("INV-6", "session " + session + ": " + several));
      }
    });
    ended.forEach((session, at) -> {
      if (!terminals.containsKey(session) && now - at > LATE_MS) {
        all.add(new Violation("INV-6", "session " + session + ": no terminal event"));
      }
    });
    return new Report(all, entries, ended.size(), open.size(), most);
  }

  private void beginAt(Entry checkpoint) {
    JsonNode part = checkpoint.value().path("part");
    String set = part.path("set").asText();
    if (part.path("number").asInt(1) == 1) {
      checkpoints.put(set, new StringBuilder());
    }
    StringBuilder state = checkpoints.get(set);
    if (state == null) {
      return;
    }
    state.append(checkpoint.value().path("state").path("state").asText());
    long at = checkpoint.value().path("at").asLong();
    if (part.path("last").asBoolean(true) && at + 1 >= waiting.getFirst().offset()) {
      restore(RecordJson.parse(state.toString()));
      folding = true;
      waiting.stream().filter(each -> each.offset() > at).forEach(this::fold);
      waiting.clear();
    }
  }

  private void restore(JsonNode state) {
    seeded = state.hasNonNull("initialCap");
    JsonNode operators = state.path("operators");
    operators.path("caps").forEachEntry((scope, cap) -> caps.put(scope, cap.asLong()));
    operators.path("limits").forEachEntry(this::limit);
    operators.path("pauses").forEachEntry((scope, pause) -> pausedUntil.put(scope, until(pause)));
    operators.path("last").forEachEntry((scope, at) -> lastOfScope.put(scope, at.asLong()));
    for (JsonNode day : state.path("days")) {
      day.path("scopes")
          .forEachEntry((scope, amount) ->
              spent.put(new Spent(scope, day.path("epochDay").asLong()), Amount.of(amount)));
    }
    state.path("refs").forEach(ref -> booked.add(ref.asText()));
    state.path("olderRefs").forEach(ref -> booked.add(ref.asText()));
    for (JsonNode hold : state.path("holds")) {
      holds.put(
          hold.path("ref").asText(),
          new Hold(
              tenantScopes(hold), hold.path("costMicros").asLong(), hold.path("sinceMs").asLong()));
    }
    for (JsonNode lease : state.path("leases")) {
      open.put(
          lease.path("session").asText(),
          new Open(
              lease.path("item").asText(),
              scopes(lease),
              lease.path("reserve").asLong(),
              Amount.of(lease),
              lease.path("seen").asLong()));
    }
    most = open.size();
  }

  private void fold(Entry entry) {
    now = entry.time();
    for (Map.Entry<String, Hold> each : List.copyOf(holds.entrySet())) {
      Hold hold = each.getValue();
      // The writer that held it back is gone: the whole of it counts as spent.
      if (now - hold.since() > LONGEST_HELD_MS) {
        book(hold.scopes(), new Amount(hold.micros(), 0));
        booked.add(each.getKey());
        holds.remove(each.getKey());
      }
    }
    switch (entry.text("entry")) {
      case "init" -> init(entry);
      case "cap", "pause", "resume", "budget" -> operator(entry);
      case "claim" -> claim(entry);
      case "renew" -> entry.value().path("sessions").forEach(use -> renew(entry.offset(), use));
      case "release" -> release(entry);
      case "expire" -> {
        Open lease = open.get(entry.text("session"));
        if (lease != null && lease.seen() == entry.value().path("seen").asLong()) {
          end(entry.text("session"), lease, new Amount(lease.reserve(), 0));
        }
      }
      case "reserve" -> reserve(entry);
      case "spend" -> {
        if (booked.add(entry.text("ref"))) {
          holds.remove(entry.text("ref"));
          book(tenantScopes(entry.value()), Amount.of(entry.value()));
        }
      }
      default -> {
        // What says nothing of permits and money, or is newer than this code.
      }
    }
  }

  private void init(Entry entry) {
    if (seeded) {
      return;
    }
    seeded = true;
    if (!lastOfScope.containsKey(GLOBAL)) {
      caps.put(GLOBAL, entry.value().path("cap").asLong());
    }
    for (JsonNode budget : entry.value().path("budgets")) {
      String scope = budget.path("scope").asText();
      if (!limits.containsKey(scope)) {
        limit(scope, budget.path("limits"));
      }
      lastOfScope.putIfAbsent(scope, entry.offset());
    }
    lastOfScope.putIfAbsent(GLOBAL, entry.offset());
  }

  private void operator(Entry entry) {
    String scope = entry.text("scope");
    boolean resume = entry.text("entry").equals("resume");
    if (entry.value().path("seen").asLong() != lastOfScope.getOrDefault(scope, -1L)
        || (resume && !pausedUntil.containsKey(scope))) {
      return;
    }
    lastOfScope.put(scope, entry.offset());
    switch (entry.text("entry")) {
      case "cap" -> caps.put(scope, entry.value().path("limit").asLong());
      case "budget" -> limit(scope, entry.value().path("limits"));
      case "pause" -> pausedUntil.put(scope, until(entry.value()));
      default -> pausedUntil.remove(scope);
    }
  }

  private void limit(String scope, JsonNode daily) {
    limits.put(
        scope,
        new Amount(
            daily.path("dailyCostMicros").asLong(Long.MAX_VALUE),
            daily.path("dailyTokens").asLong(Long.MAX_VALUE)));
  }

  private static long until(JsonNode pause) {
    return pause.hasNonNull("until")
        ? Instant.parse(pause.path("until").asText()).toEpochMilli()
        : Long.MAX_VALUE;
  }

  private void claim(Entry entry) {
    String session = entry.text("session");
    if (open.containsKey(session) || !known.remove(session)) {
      return;
    }
    String item = entry.text("item");
    long reserve = entry.value().path("reserve").asLong();
    String name = "session " + session + " of " + item + ", claimed at offset " + entry.offset();
    List<String> scopes = scopes(entry.value());
    for (String scope : scopes) {
      long live = in(scope, open.values()).size();
      if (caps.containsKey(scope) && live >= caps.get(scope)) {
        String cap = live + " of " + caps.get(scope) + " in " + scope + " lived already";
        broken("INV-1", name + ": " + cap);
      }
      if (now < pausedUntil.getOrDefault(scope, 0L)) {
        broken("INV-1", name + ": " + scope + " was paused");
      }
      if (isFull(scope, reserve)) {
        broken("INV-8", name + ": the daily budget of " + scope + " did not allow it");
      }
    }
    open.forEach((other, lease) -> {
      if (lease.item().equals(item)) {
        broken("INV-2", name + ": session " + other + " of the same item lived");
      }
    });
    open.put(session, new Open(item, scopes, reserve, Amount.NONE, entry.offset()));
    most = Math.max(most, open.size());
  }

  private void renew(long offset, JsonNode use) {
    Open lease = open.get(use.path("session").asText());
    if (lease != null) {
      Amount used = Amount.of(use).atLeast(lease.used());
      book(lease.scopes(), used.minus(lease.used()));
      open.put(
          use.path("session").asText(),
          new Open(lease.item(), lease.scopes(), lease.reserve(), used, offset));
    }
  }

  private void release(Entry entry) {
    Open lease = open.get(entry.text("session"));
    if (lease == null) {
      return;
    }
    JsonNode receipt = entry.value().path("receipt");
    boolean started = receipt.hasNonNull("level") || receipt.path("survivors").asLong(-1) != 0;
    boolean costUnknown = entry.text("outcome").equals("lost") && started;
    Amount least = new Amount(costUnknown ? lease.reserve() : 0, 0);
    end(entry.text("session"), lease, Amount.of(entry.value()).atLeast(least));
  }

  private void end(String session, Open lease, Amount used) {
    open.remove(session);
    book(lease.scopes(), used.atLeast(lease.used()).minus(lease.used()));
    ended.put(session, now);
  }

  private void reserve(Entry entry) {
    String ref = entry.text("ref");
    long micros = entry.value().path("costMicros").asLong();
    List<String> scopes = tenantScopes(entry.value());
    if (!booked.contains(ref)
        && !holds.containsKey(ref)
        && scopes.stream().noneMatch(scope -> isFull(scope, micros))) {
      holds.put(ref, new Hold(scopes, micros, now));
    }
  }

  private void book(List<String> scopes, Amount amount) {
    scopes.forEach(scope -> spent.merge(today(scope), amount, Amount::plus));
  }

  private Spent today(String scope) {
    return new Spent(scope, Math.floorDiv(now, Duration.ofDays(1).toMillis()));
  }

  private boolean isFull(String scope, long micros) {
    long held =
        in(scope, open.values()).stream()
                .mapToLong(it -> Math.max(0, it.reserve - it.used.micros()))
                .sum()
            + holds.values().stream()
                .filter(hold -> hold.scopes().contains(scope))
                .mapToLong(Hold::micros)
                .sum();
    Amount known = spent.getOrDefault(today(scope), Amount.NONE);
    Amount limit = limits.get(scope);
    return limit != null
        && (known.micros() + held + micros > limit.micros() || known.tokens() >= limit.tokens());
  }

  private static List<Open> in(String scope, Collection<Open> leases) {
    return leases.stream().filter(lease -> lease.scopes().contains(scope)).toList();
  }

  private static List<String> tenantScopes(JsonNode entry) {
    return List.of(GLOBAL, "tenant:" + entry.path("tenant").asText());
  }

  /** The scopes of a claim or a lease, in the order in which the script names them. */
  private static List<String> scopes(JsonNode claim) {
    String[] item = claim.path("item").asText().split("/", 3);
    var scopes = new ArrayList<>(List.of(GLOBAL, "tenant:" + item[0]));
    scopes.add("source:" + item[0] + "/" + item[1]);
    String provider = claim.path("provider").asText("");
    if (!provider.isEmpty()) {
      scopes.addAll(
          new TreeSet<>(List.of("provider:" + provider.split("/", 2)[0], "provider:" + provider)));
    }
    return scopes;
  }

  private void broken(String promise, String text) {
    violations.add(new Violation(promise, text));
  }
}
