package dev.flyball.contract.ledger;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Position;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One record of the session ledger. An entry is only a request: the fold alone decides whether it
 * takes effect. Money is integer micro-dollars. The JSON property {@code entry} names the kind.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "entry")
@JsonSubTypes({
  @JsonSubTypes.Type(value = LedgerEntry.Init.class, name = "init"),
  @JsonSubTypes.Type(value = LedgerEntry.Claim.class, name = "claim"),
  @JsonSubTypes.Type(value = LedgerEntry.Renew.class, name = "renew"),
  @JsonSubTypes.Type(value = LedgerEntry.Release.class, name = "release"),
  @JsonSubTypes.Type(value = LedgerEntry.Expire.class, name = "expire"),
  @JsonSubTypes.Type(value = LedgerEntry.Settled.class, name = "settled"),
  @JsonSubTypes.Type(value = LedgerEntry.Cap.class, name = "cap"),
  @JsonSubTypes.Type(value = LedgerEntry.Pause.class, name = "pause"),
  @JsonSubTypes.Type(value = LedgerEntry.Resume.class, name = "resume"),
  @JsonSubTypes.Type(value = LedgerEntry.Budget.class, name = "budget"),
  @JsonSubTypes.Type(value = LedgerEntry.Reserve.class, name = "reserve"),
  @JsonSubTypes.Type(value = LedgerEntry.Spend.class, name = "spend"),
  @JsonSubTypes.Type(value = LedgerEntry.Runner.class, name = "runner"),
  @JsonSubTypes.Type(value = LedgerEntry.Rules.class, name = "rules"),
  @JsonSubTypes.Type(value = LedgerEntry.Checkpoint.class, name = "checkpoint"),
})
public sealed interface LedgerEntry {

  /**
   * Reads a record's value; empty if it is no entry that this code knows. Such a record has no
   * effect, for any reader. So what is rejected here is part of the rules, and must not change
   * while {@link LedgerState#RULES} stays.
   */
  static Optional<LedgerEntry> parse(byte @Nullable [] value) {
    if (value == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(RecordJson.read(value, LedgerEntry.class));
    } catch (UnreadableRecord unknown) {
      return Optional.empty();
    }
  }

  /**
   * Seeds the ledger; effective once.
   *
   * @param cap most open leases at one time, over all runners
   * @param leaseMs the lease, in milliseconds
   * @param budgets limits by scope, may be empty
   */
  record Init(int cap, long leaseMs, List<ScopedLimits> budgets) implements LedgerEntry {
    public Init {
      EntryChecks.atLeast(0, cap, "cap");
      EntryChecks.atLeast(1, leaseMs, "leaseMs");
      budgets = List.copyOf(budgets);
    }
  }

  /**
   * Claims the permit, the lease and the fencing token of one session, all in one.
   *
   * @param request the request's id
   * @param requestAt the position of that request's record in session-requests
   * @param readTo the next offset that this runner will read in that partition
   * @param attempt copied from the request
   * @param session a random UUID, claimed once
   * @param runner the claimant's label
   * @param provider the scope of rate limits, null if none
   * @param rules the newest rules of the fold that the claimant knows
   * @param reserve micro-dollars reserved until the session ends
   */
  record Claim(
      String request,
      Position requestAt,
      long readTo,
      ItemKey item,
      int attempt,
      String session,
      String runner,
      @Nullable String provider,
      int rules,
      long reserve)
      implements LedgerEntry {
    public Claim {
      EntryChecks.present(request, "request");
      EntryChecks.present(requestAt, "requestAt");
      EntryChecks.present(item, "item");
      EntryChecks.present(session, "session");
      EntryChecks.present(runner, "runner");
      EntryChecks.bounded(provider, "provider");
      EntryChecks.amount(reserve, "reserve");
    }
  }

  /**
   * Renews every named lease that is open; one entry for all sessions of a runner.
   *
   * @param n grows with each send of one process, so a holder knows which of its sends took effect
   */
  record Renew(long n, List<Usage> sessions) implements LedgerEntry {
    public Renew {
      sessions = List.copyOf(sessions);
    }
  }

  /** The usage of a running session so far, cumulative. */
  record Usage(String session, long tokens, long costMicros) {
    public Usage {
      EntryChecks.present(session, "session");
      EntryChecks.amount(tokens, "tokens");
      EntryChecks.amount(costMicros, "costMicros");
    }
  }

  /**
   * Ends a lease by its holder, after its tree was verified dead.
   *
   * @param failure why the session did not answer; null if it did, or if the runner's side ended it
   * @param run which agent ran; null if none was started
   */
  record Release(
      String session,
      Outcome outcome,
      @Nullable String reason,
      @Nullable Failure failure,
      @Nullable Integer exit,
      @Nullable Integer signal,
      Timings timings,
      long tokens,
      long costMicros,
      Receipt receipt,
      @Nullable AgentRun run)
      implements LedgerEntry {
    private static final int MAX_REASON = 2_000;

    public Release {
      EntryChecks.present(session, "session");
      EntryChecks.present(outcome, "outcome");
      EntryChecks.present(timings, "timings");
      EntryChecks.present(receipt, "receipt");
      EntryChecks.amount(tokens, "tokens");
      EntryChecks.amount(costMicros, "costMicros");
      // A release that the broker rejects would keep its item, its slot and its lease for ever.
      reason = reason == null ? null : reason.substring(0, Math.min(reason.length(), MAX_REASON));
    }

    /** Of a session that is not known to have used anything. */
    public static Release of(
        String session, Outcome outcome, @Nullable String reason, Receipt receipt) {
      return new Release(
          session, outcome, reason, null, null, null, Timings.ZERO, 0, 0, receipt, null);
    }
  }

  /**
   * The agent that a session ran. The session's events say the same, but take another way, and may
   * be read after the release.
   *
   * @param agent the adapter, for example {@code claude}
   * @param profile name of the configured agent
   * @param session the agent's own session id; null if it named none, or one too long to be kept
   * @param home label of the runner on which that can be resumed; null if it cannot be
   * @param reused whether it resumed an earlier one; null if its agent never does
   * @param model as the agent named it
   * @param turn {@code ended} or {@code cut}: whether the agent had ended its turn; null where that
   *     does not matter
   */
  record AgentRun(
      @Nullable String agent,
      @Nullable String profile,
      @Nullable String session,
      @Nullable String home,
      @Nullable Boolean reused,
      @Nullable String model,
      @Nullable String turn) {
    private static final int MOST = 200;

    public AgentRun {
      // What an agent wrote must not make a release that the broker or a reader rejects. Half an id
      // names nothing.
      session = session == null || session.length() > MOST ? null : session;
      model = model == null ? null : model.substring(0, Math.min(model.length(), MOST));
    }
  }

  /**
   * Ends a lease by a witness. Effective only if {@code seen} is still the offset of the session's
   * last effective claim or renewal.
   */
  record Expire(String session, long seen) implements LedgerEntry {
    public Expire {
      EntryChecks.present(session, "session");
    }
  }

  /**
   * Records that a spent request was replaced or deleted.
   *
   * @param by offset, in the request's partition of session-requests, of the record that did so
   */
  record Settled(String request, long by) implements LedgerEntry {
    public Settled {
      EntryChecks.present(request, "request");
    }
  }

  /** A change of what limits the sessions of a scope, with who makes it and why. */
  sealed interface OfScope {
    /** What is changed: global, tenant:T, source:T/S or provider:P. */
    String scope();

    /** The offset of the scope's last change that the writer had seen. */
    long seen();

    /** Who makes it. */
    String who();

    /** The reason. */
    String why();
  }

  /** Sets the cap of a scope; the limit 2147483647 removes it, except of global. */
  record Cap(String scope, int limit, long seen, String who, String why)
      implements LedgerEntry, OfScope {
    public Cap {
      EntryChecks.atLeast(0, limit, "limit");
      EntryChecks.present(scope, "scope");
      who = EntryChecks.words(who, "who");
      why = EntryChecks.words(why, "why");
    }
  }

  /** Stops claims of a scope, until a time (by append time) or until resumed. */
  record Pause(String scope, @Nullable Instant until, long seen, String who, String why)
      implements LedgerEntry, OfScope {
    /** The beginning of the reason if the provider's account has no money left. */
    public static final String ACCOUNT_EXHAUSTED = "account exhausted";

    public Pause {
      EntryChecks.present(scope, "scope");
      who = EntryChecks.words(who, "who");
      why = EntryChecks.words(why, "why");
    }

    /** The reason of a pause for an exhausted account. */
    public static String exhausted(String detail) {
      return detail.startsWith(ACCOUNT_EXHAUSTED) ? detail : ACCOUNT_EXHAUSTED + "; " + detail;
    }

    /** Whether a provider is stopped because its account has no money left. */
    public boolean accountExhausted() {
      return until == null
          && scope.startsWith(Scope.provider(""))
          && why.startsWith(ACCOUNT_EXHAUSTED);
    }
  }

  /** Ends a pause. */
  record Resume(String scope, long seen, String who, String why) implements LedgerEntry, OfScope {
    public Resume {
      EntryChecks.present(scope, "scope");
      who = EntryChecks.words(who, "who");
      why = EntryChecks.words(why, "why");
    }
  }

  /** Sets a scope's budget. */
  record Budget(String scope, Limits limits, long seen, String who, String why)
      implements LedgerEntry, OfScope {
    public Budget {
      EntryChecks.present(limits, "limits");
      EntryChecks.present(scope, "scope");
      who = EntryChecks.words(who, "who");
      why = EntryChecks.words(why, "why");
    }
  }

  /**
   * Holds money back for what is spent outside of sessions, for example a triage call, until the
   * spend of the same {@code ref}. It takes effect only if the budgets of its tenant and of all
   * allow it, so its writer must read it back before it spends. If no spend follows within {@link
   * Spending#LONGEST_HELD}, the whole of it is booked.
   *
   * @param costMicros most that the call may cost, in micro-dollars
   */
  record Reserve(String tenant, String ref, long costMicros) implements LedgerEntry {
    public Reserve {
      EntryChecks.present(tenant, "tenant");
      EntryChecks.present(ref, "ref");
      EntryChecks.amount(costMicros, "costMicros");
    }
  }

  /** Books spend outside of sessions, such as a triage call; each {@code ref} is booked once. */
  record Spend(String tenant, String ref, long costMicros, long tokens) implements LedgerEntry {
    public Spend {
      EntryChecks.present(tenant, "tenant");
      EntryChecks.present(ref, "ref");
      EntryChecks.amount(costMicros, "costMicros");
      EntryChecks.amount(tokens, "tokens");
    }
  }

  /**
   * A runner's state, for people and for the claim delays of other runners.
   *
   * @param level containment level
   * @param slots most sessions that it runs at one time
   * @param refusing why its gate is shut, null if it is open
   * @param profiles names of the configured agents that it has besides the default one; null for
   *     none
   * @param declines which requests it does not claim although its gate is open, at most {@link
   *     #MOST_DECLINES}; null for none
   * @param reserves what a claim of each profile that it has holds back, in micro-dollars; null if
   *     it announces none
   */
  record Runner(
      String id,
      int rules,
      String level,
      int slots,
      @Nullable String refusing,
      @Nullable List<String> profiles,
      @Nullable List<Decline> declines,
      @Nullable Map<String, Long> reserves)
      implements LedgerEntry {
    /** With reasons of {@link Decline#LONGEST} characters it still fits into a row of the state. */
    public static final int MOST_DECLINES = 16;

    public Runner {
      EntryChecks.present(id, "id");
      EntryChecks.present(level, "level");
      EntryChecks.bounded(refusing, "refusing");
      profiles = EntryChecks.names(profiles, "profiles");
      declines =
          declines == null || declines.isEmpty()
              ? null
              : declines.stream().limit(MOST_DECLINES).toList();
      reserves = EntryChecks.amounts(reserves, "reserves");
    }

    /** The same runner with its gate shut for this reason. */
    public Runner shut(String reason) {
      return new Runner(id, rules, level, slots, reason, profiles, declines, reserves);
    }

    /** What it declines; empty if nothing. */
    public List<Decline> declined() {
      return declines == null ? List.of() : declines;
    }

    /** Whether it has the agent of this name. */
    public boolean has(String profile) {
      return profile.equals(Route.DEFAULT) || (profiles != null && profiles.contains(profile));
    }

    /**
     * Why it does not claim requests for this profile of this source; empty if it does while its
     * gate is open.
     *
     * @param source {@code tenant/source}
     */
    public Optional<Decline> declines(String profile, String source) {
      return declined().stream().filter(each -> each.covers(profile, source)).findFirst();
    }

    /** A fault of it or of its settings, for which it never claims such a request. */
    public Optional<String> fault(String profile, String source) {
      return has(profile)
          ? declines(profile, source).map(each -> each.code() + ": " + each.reason())
          : Optional.of("has no profile " + profile);
    }
  }

  /**
   * Requests that a runner does not claim, because of a fault of that runner or its settings.
   *
   * @param profile the profile that they ask for; null for all
   * @param source {@code tenant/source} of their items; null for all
   * @param code the code of the fault's {@link dev.flyball.contract.session.Failure}, or {@link
   *     #UNKNOWN_SOURCE}
   * @param reason one line for a person, with the fix
   */
  record Decline(@Nullable String profile, @Nullable String source, String code, String reason) {
    /** Code: the runner's configuration has no such source. */
    public static final String UNKNOWN_SOURCE = "unknown-source";

    /** Most characters of a reason. */
    public static final int LONGEST = 300;

    public Decline {
      EntryChecks.bounded(profile, "profile");
      EntryChecks.bounded(source, "source");
      EntryChecks.present(code, "code");
      EntryChecks.present(reason, "reason");
      reason = reason.length() <= LONGEST ? reason : reason.substring(0, LONGEST - 3) + "...";
    }

    /** Whether a request for this profile of this source is among them. */
    public boolean covers(String asked, String of) {
      return (profile == null || profile.equals(asked)) && (source == null || source.equals(of));
    }

    /** One line for a person: what is declined and why. */
    public String text() {
      return concerns(profile, source) + ": " + code + ": " + reason;
    }

    /** Which requests these are, for example {@code profile deep in source acme/web}. */
    public static String concerns(@Nullable String profile, @Nullable String source) {
      if (profile == null) {
        return source == null ? "every session" : "source " + source;
      }
      return "profile " + profile + (source == null ? "" : " in source " + source);
    }
  }

  /** Upgrades the fold's rules; effective only if every open lease's claim knows {@code n}. */
  record Rules(int n) implements LedgerEntry {}

  /**
   * The fold's state after the entry at offset {@code at}, or a part of it, so that reading from
   * the start stays short.
   *
   * @param part which part this is; null if it is the whole
   * @param state the state's digest, and the piece of the state that the part holds
   */
  record Checkpoint(long at, int rules, @Nullable CheckpointPart part, LedgerSnapshot state)
      implements LedgerEntry {
    public Checkpoint {
      EntryChecks.present(state, "state");
    }
  }

  /** Limits and the scope to which they apply. */
  record ScopedLimits(String scope, Limits limits) {
    public ScopedLimits {
      EntryChecks.present(scope, "scope");
      EntryChecks.present(limits, "limits");
    }
  }
}
