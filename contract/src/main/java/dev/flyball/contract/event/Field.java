package dev.flyball.contract.event;

/** Every payload field of a lifecycle event, with one name everywhere. */
public enum Field {
  SESSION("session", String.class, "session id, a UUID"),
  TOKEN("token", String.class, "fencing token, topicId:offset"),
  REQUEST("request", String.class, "request id"),
  ITEM("item", String.class, "item key, tenant/source/id"),
  TENANT("tenant", String.class, "tenant"),
  REVISION("revision", String.class, "the item's revision"),
  TITLE("title", String.class, "the item's title, for display"),
  SCOPE("scope", String.class, "global, tenant:T, source:T/S or provider:P"),
  RUNNER("runner", String.class, "runner label"),
  ATTEMPT("attempt", Long.class, "attempt, from 1"),
  PID("pid", Long.class, "process id of the containment's outermost process"),
  LEVEL("level", String.class, "containment level: A+, A or B"),
  AGENT("agent", String.class, "adapter, for example scout"),
  PROFILE("profile", String.class, "name of the configured agent that the request asks for"),
  ROUTED_BY("routedBy", String.class, "the rule that chose the profile"),
  LIMIT_MS("limitMs", Long.class, "longest time that this session may run, in milliseconds"),
  AGENT_SESSION("agentSession", String.class, "the agent's own session id"),
  HOME("home", String.class, "runner label, if the agent's session can be resumed there"),
  REUSED(
      "reused",
      String.class,
      "true if the session resumes the agent's earlier one, false if it is fresh"),
  PREVIOUS_SESSION(
      "previousSession", String.class, "the agent's own session id that is not resumed any more"),
  PREVIOUS_RUN(
      "previousRun", String.class, "session id of the newest dead session, else of the newest"),
  TURN(
      "turn",
      String.class,
      "ended or cut: whether the agent had ended its turn, so that its session can be resumed"),
  DESERVED(
      "deserved",
      String.class,
      "whether the item deserved its session, as its agent says: true, false or unknown"),
  MODEL("model", String.class, "model, or the rules that stood in for one"),
  REASON("reason", String.class, "one line for a person"),
  FAILURE(
      "failure",
      dev.flyball.contract.session.Failure.class,
      "why the session did not answer: kind (transient, permanent, poison or provider) and a code"),
  CATEGORY(
      "category",
      String.class,
      "what kind of failure: auth, rate limited, not found, malformed, unreachable; broker or"
          + " internal where the tracker is not to blame; lease where another producer polls"),
  UNTIL("until", String.class, "until when, ISO instant"),
  NEXT("next", String.class, "when the source is due again after this poll, ISO instant"),
  OUTCOME("outcome", String.class, "completed, failed, timedOut, cancelled, interrupted or lost"),
  EXIT_CODE("exitCode", Long.class, "exit code of the agent"),
  SIGNAL("signal", Long.class, "signal that ended the agent"),
  WAITING_MS(
      "waitingMs",
      Long.class,
      "milliseconds from request to start (or end); of a write-back from the analysis to its end"),
  RUNNING_MS("runningMs", Long.class, "milliseconds from start until the tree was verified dead"),
  REPORTING_MS("reportingMs", Long.class, "milliseconds from there to the release"),
  INPUT_TOKENS("inputTokens", Long.class, "input tokens"),
  OUTPUT_TOKENS("outputTokens", Long.class, "output tokens"),
  CACHED_TOKENS("cachedTokens", Long.class, "cached input tokens"),
  TOKENS("tokens", Long.class, "tokens of all kinds together, as the ledger counts them"),
  COST_MICROS("costMicros", Long.class, "micro-dollars"),
  PROCESSES("processes", Long.class, "child processes now"),
  PROCESSES_PEAK("processesPeak", Long.class, "most processes at a time"),
  MEMORY_PEAK_BYTES("memoryPeakBytes", Long.class, "largest resident sum, bytes"),
  KILL_STEPS("killSteps", java.util.List.class, "what was done to end the tree, in order"),
  SURVIVORS(
      "survivors",
      Long.class,
      "processes alive after the last step; absent if no check was possible"),
  OUTPUT_AGE_MS("outputAgeMs", Long.class, "milliseconds since the agent's last output"),
  DOING(
      "doing", String.class, "the agent's newest tool, or its newest line of output, for display"),
  RECEIPT("receipt", dev.flyball.contract.session.Receipt.class, "containment receipt"),
  RESULT("result", dev.flyball.contract.session.SessionResult.class, "the agent's answer"),
  ENDED_BY("endedBy", String.class, "released or expired: how the ledger ended the lease"),
  DUE("due", String.class, "when the next attempt is due, ISO instant"),
  COMMAND("command", String.class, "cancel, retry, skip, forget, requeue, redeliver or poll"),
  COMMAND_ID("commandId", String.class, "id of an operator's command"),
  WHO("who", String.class, "the operator"),
  BEFORE(
      "before",
      String.class,
      "the item's state before a command, or unknown; undelivered for a redelivery; for a poll when"
          + " the source was polled before, ISO instant, or never"),
  AFTER(
      "after",
      String.class,
      "the item's state after a command, or unknown; for a write-back what was done: added, edited,"
          + " posted or skipped (there already); for a poll: polled, or polled in part"),
  COMPLEXITY("complexity", Long.class, "1 to 5"),
  PRIORITY("priority", Long.class, "1 is first"),
  BATCH("batch", String.class, "id of the triage call that answered"),
  POLL("poll", String.class, "poll id"),
  POLLED("polled", Long.class, "items seen by a poll"),
  CHANGED("changed", Long.class, "snapshots published by a poll"),
  DUPLICATES(
      "duplicates",
      Long.class,
      "snapshots a poll held back because nothing meaningful or nothing at all changed"),
  INVALID("invalid", Long.class, "lines a poll could not read"),
  LINES("lines", Long.class, "lines a poll read");

  private final String json;
  private final Class<?> shape;
  private final String meaning;

  Field(String json, Class<?> shape, String meaning) {
    this.json = json;
    this.shape = shape;
    this.meaning = meaning;
  }

  /** The property's name. */
  public String json() {
    return json;
  }

  /** String, Long, List or a record of the contract. */
  public Class<?> shape() {
    return shape;
  }

  /** One line for a person. */
  public String meaning() {
    return meaning;
  }
}
