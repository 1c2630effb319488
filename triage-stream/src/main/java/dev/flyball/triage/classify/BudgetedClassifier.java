package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Dollars;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a paid classifier only while the budgets of the day allow a call beside what running
 * sessions reserve: a session would be ended for what triage spent of its reserve. Before it asks,
 * it reserves in the ledger what the calls of the batch may cost, so that no session and no other
 * triage spends the same money; afterwards it books what they did cost. A call that is cut off
 * books nothing, so its reserve stays, and the ledger books the whole of it ({@link
 * LedgerEntry.Reserve}). Without this, a backlog that changes all day would be judged on, call
 * after call, long after sessions have stopped.
 *
 * <p>Where the budget of all tenants is spent, the whole batch waits. The budget of one tenant that
 * does not cover its share holds back its items alone: they are judged by rules, because to wait
 * they would hold up the items of others behind them.
 */
public final class BudgetedClassifier implements Classifier {
  /** How soon a budget is read again that was spent: an operator may raise it. */
  private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

  private final ModelClassifier paid;
  private final Budgets budgets;
  private final long reserveMicros;

  /** What is spent of each budget now, and what is to be kept for a call. */
  public interface Budgets {
    /**
     * Reads them.
     *
     * @throws RuntimeException if they cannot be read; the message is one line for a person
     */
    List<BudgetUse> now();

    /**
     * Reserves money for a call until its cost is booked.
     *
     * @param call the id under which it is booked
     * @param micros most that each tenant pays, in micro-dollars
     * @return whether all of it is reserved; what took effect of it ends with the booking
     * @throws RuntimeException as {@link #now}
     */
    boolean reserve(String call, Map<String, Long> micros);

    /**
     * Books what a call cost, which ends its reserve; as soon as a broker takes it.
     *
     * @param micros what each tenant pays, in micro-dollars
     * @param tokens each tenant's part of the tokens
     */
    void book(String call, Map<String, Long> micros, Map<String, Long> tokens);
  }

  /**
   * Creates a classifier.
   *
   * @param reserveMicros what one call may cost, in micro-dollars; a batch gets as many calls as
   *     its budgets leave room for
   */
  public BudgetedClassifier(ModelClassifier paid, Budgets budgets, long reserveMicros) {
    this.paid = paid;
    this.budgets = budgets;
    this.reserveMicros = reserveMicros;
  }

  @Override
  public String model() {
    return paid.model();
  }

  @Override
  public String prompt() {
    return paid.prompt();
  }

  @Override
  public Answer classify(String call, List<Question> batch)
      throws ModelFailure, InterruptedException {
    List<BudgetUse> uses = of(budgets::now);
    BudgetUse spent = tooSmall(uses, Scope.GLOBAL, 0).orElse(null);
    if (spent != null) {
      throw new ModelFailure(Kind.NO_BUDGET, why(spent), LOOK_AGAIN, 0L);
    }
    List<Question> asked = batch;
    var unasked = new HashMap<String, String>();
    // A tenant that is left out makes the shares of the others larger.
    for (BudgetUse use = tooSmall(uses, asked); use != null; use = tooSmall(uses, asked)) {
      var paying = new ArrayList<Question>();
      for (Question question : asked) {
        if (Scope.tenant(question.item().tenant()).equals(use.scope())) {
          unasked.put(question.id(), why(use));
        } else {
          paying.add(question);
        }
      }
      asked = paying;
    }
    if (asked.isEmpty()) {
      return new Answer(List.of(), 0, 0, unasked);
    }
    int calls = calls(uses, asked);
    List<String> payers = tenants(asked);
    try {
      Map<String, Long> reserve = shares(payers, calls * reserveMicros);
      if (reserveMicros > 0 && !of(() -> budgets.reserve(call, reserve))) {
        throw new ModelFailure(
            Kind.NO_BUDGET, "a session or another call took what was left of a budget", null, 0L);
      }
      Answer answer = paid.classify(asked, calls);
      book(call, payers, answer.costMicros(), answer.tokens());
      return new Answer(answer.judgements(), answer.costMicros(), answer.tokens(), unasked);
    } catch (ModelFailure e) {
      Long cost = e.costMicros();
      book(call, payers, cost == null ? reserveMicros : cost, e.tokens());
      throw e;
    }
  }

  /** What cost nothing is booked too if it was reserved for, which ends the reserve. */
  private void book(String call, List<String> payers, long micros, long tokens) {
    if (reserveMicros > 0 || micros > 0 || tokens > 0) {
      budgets.book(call, shares(payers, micros), shares(payers, tokens));
    }
  }

  private static <T> T of(Supplier<T> budgets) throws ModelFailure {
    try {
      return budgets.get();
    } catch (RuntimeException e) {
      throw new ModelFailure(
          Kind.UNAVAILABLE, "the budgets cannot be read: " + e.getMessage(), LOOK_AGAIN, 0L);
    }
  }

  /** The first tenant's budget that does not cover its share of these questions; null if all do. */
  private @Nullable BudgetUse tooSmall(List<BudgetUse> uses, List<Question> asked) {
    return shares(tenants(asked), calls(uses, asked) * reserveMicros).entrySet().stream()
        .map(each -> tooSmall(uses, Scope.tenant(each.getKey()), each.getValue()))
        .flatMap(Optional::stream)
        .findFirst()
        .orElse(null);
  }

  /** The budget of a scope, if it has one that leaves less than this, or than one call costs. */
  private Optional<BudgetUse> tooSmall(List<BudgetUse> uses, String scope, long micros) {
    return uses.stream()
        .filter(use -> use.scope().equals(scope))
        .filter(use -> use.exhausted() || use.leavesLessThan(Math.max(micros, reserveMicros)))
        .findFirst();
  }

  private static List<String> tenants(List<Question> questions) {
    return questions.stream().map(each -> each.item().tenant()).toList();
  }

  /**
   * What each tenant pays of a total: equal shares for all questions, as verdicts split a cost.
   *
   * @param payers the tenant of each question's item
   */
  private static Map<String, Long> shares(List<String> payers, long total) {
    var shares = new TreeMap<String, Long>();
    for (int i = 0; i < payers.size(); i++) {
      shares.merge(payers.get(i), Answer.share(total, i, payers.size()), Long::sum);
    }
    return shares;
  }

  /** A budget that is too small for any call is spent on the next day too. */
  private String why(BudgetUse use) {
    Long daily = use.limits().dailyCostMicros();
    return daily != null && daily < reserveMicros
        ? "budget of "
            + use.scope()
            + ": "
            + Dollars.exact(daily)
            + " USD a day allow no triage call, which may cost "
            + Dollars.exact(reserveMicros)
            + " USD; raise it with ./flyball budget, or lower triage.budget.usd"
        : use.text()
            + (use.reservedMicros() > 0
                ? ", " + Dollars.exact(use.reservedMicros()) + " USD reserved"
                : "")
            + "; raise it with ./flyball budget, or wait for "
            + (use.reservedMicros() > 0
                ? "the end of the sessions and calls that reserve it"
                : "the next UTC day");
  }

  /**
   * How many calls the budgets leave room for. A tenant's among those of others does not count: it
   * would keep the others' items from being asked again.
   */
  private int calls(List<BudgetUse> uses, List<Question> asked) {
    List<String> scopes =
        asked.stream().map(each -> Scope.tenant(each.item().tenant())).distinct().toList();
    long calls = ModelClassifier.MOST_CALLS;
    for (BudgetUse use : uses) {
      Long daily = use.limits().dailyCostMicros();
      boolean pays = use.scope().equals(Scope.GLOBAL) || scopes.equals(List.of(use.scope()));
      if (pays && daily != null && reserveMicros > 0) {
        calls = Math.min(calls, (daily - use.spentMicros() - use.reservedMicros()) / reserveMicros);
      }
    }
    return (int) calls;
  }

  /**
   * The budgets by the ledger, read from the newest checkpoint to the end each time. The stream's
   * own fold may be in another process. Before the first runner has written a budget to the ledger,
   * the configured one counts: the first batch may be asked before any runner runs.
   */
  public static final class LedgerBudgets implements Budgets {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerBudgets.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final KafkaClients clients;
    private final List<ScopedLimits> configured;

    /** What no broker took yet: their reserves stand until it is written. */
    private final List<LedgerEntry> unbooked = new ArrayList<>();

    /**
     * Nothing is opened yet.
     *
     * @param configured the budgets that a runner writes to an empty ledger
     */
    public LedgerBudgets(KafkaClients clients, List<ScopedLimits> configured) {
      this.clients = clients;
      this.configured = List.copyOf(configured);
    }

    @Override
    public List<BudgetUse> now() {
      // Its time is the broker's, and so are a budget's days; it books nothing. The ledger may have
      // had no entry since yesterday.
      unbooked.add(new LedgerEntry.Spend("default", "clock", 0, 0));
      Instant at = settle();
      LedgerState state = LedgerReader.stateAtEnd(clients);
      var uses = new ArrayList<>(state.budgets(at));
      for (ScopedLimits each : configured) {
        String scope = each.scope();
        if (!state.limitsSet(scope)) {
          long micros = state.spentMicros(scope, at);
          uses.add(
              new BudgetUse(
                  scope,
                  each.limits(),
                  micros,
                  state.spentTokens(scope, at),
                  state.reservedMicros(scope)));
        }
      }
      return uses;
    }

    @Override
    public boolean reserve(String call, Map<String, Long> micros) {
      append(
          micros.entrySet().stream()
              .map(each ->
                  new LedgerEntry.Reserve(each.getKey(), ref(call, each.getKey()), each.getValue()))
              .toList());
      LedgerState state = LedgerReader.stateAtEnd(clients);
      return micros.keySet().stream().allMatch(each -> state.holds(ref(call, each)));
    }

    @Override
    public void book(String call, Map<String, Long> micros, Map<String, Long> tokens) {
      micros.forEach((tenant, cost) ->
          unbooked.add(
              new LedgerEntry.Spend(
                  tenant, ref(call, tenant), cost, tokens.getOrDefault(tenant, 0L))));
      try {
        settle();
      } catch (KafkaException | KafkaFailure e) {
        LOG.warn("what a triage call cost is booked before the next one: {}", e.getMessage());
      }
    }

    /** Under which the ledger reserves and books what a tenant pays for a call, once. */
    private static String ref(String call, String tenant) {
      return call + "/" + tenant;
    }

    /** Writes what is unbooked; returns when the broker took it. Repeated, it is booked once. */
    private Instant settle() {
      Instant at = append(unbooked);
      unbooked.clear();
      return at;
    }

    /** Appends entries; returns when the broker took the last one. */
    private Instant append(List<? extends LedgerEntry> entries) {
      var at = Instant.EPOCH;
      try (var writer = LedgerWriter.open(clients, LIMIT)) {
        for (LedgerEntry entry : entries) {
          at = Instant.ofEpochMilli(writer.append(entry).get().timestamp());
        }
        return at;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new KafkaException("interrupted while the ledger was written", e);
      } catch (ExecutionException e) {
        throw new KafkaException("the ledger could not be written: " + e.getCause(), e);
      }
    }
  }
}
