package dev.flyball.contract.docs;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.contract.triage.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a page says about a topic beside its spec.
 *
 * @param key how its records are keyed
 * @param value what a record is
 * @param writers the apps that write it
 */
record TopicFacts(TopicSpec spec, String key, String value, List<String> writers) {
  /** The record behind each schema; the events' schema comes from their catalogue. */
  static final Map<String, Class<?>> RECORDS =
      Map.ofEntries(
          Map.entry("work-item/1", Snapshot.class),
          Map.entry("poll-state/1", PollState.class),
          Map.entry("item-state/1", ItemState.class),
          Map.entry("triage-request/1", TriageRequest.class),
          Map.entry("triage-verdict/1", Verdict.class),
          Map.entry("session-request/1", SessionRequest.class),
          Map.entry("ledger-entry/1", LedgerEntry.class),
          Map.entry("session-output/1", OutputChunk.class),
          Map.entry("analysis/1", Analysis.class),
          Map.entry("metric-window/1", MetricWindow.class),
          Map.entry("command/1", Command.class),
          Map.entry("dead-letter/1", DeadLetter.class));

  static final String EVENTS = "session-event/1";

  private static final String ITEM = "item key";

  /** Every topic, in the order of an item's path. */
  static List<TopicFacts> all() {
    Topics topics = Topics.DEFAULT;
    var state =
        new TopicSpec(
            topics.itemState(), 6, Map.of("cleanup.policy", "compact"), ItemState.SCHEMA, false);
    var all = new ArrayList<TopicFacts>();
    all.add(of(topics.workItems(), ITEM, "one snapshot of an item", "producer"));
    all.add(
        of(topics.pollState(), "tenant/source", "a source's poll lease and cursor", "producer"));
    all.add(
        new TopicFacts(
            state,
            ITEM,
            "the item's state; Kafka Streams makes this topic",
            List.of("triage-stream")));
    all.add(of(topics.triageRequests(), ITEM, "one item to classify", "triage-stream"));
    all.add(
        of(
            topics.triageVerdicts(),
            ITEM,
            "a classifier's answer, or a tombstone for a question that could not be read, or that"
                + " waits (header `deferred`)",
            "triage-stream"));
    all.add(
        of(
            topics.sessionRequests(),
            ITEM,
            "the session that should run for the item now, or a tombstone",
            "triage-stream"));
    all.add(
        of(
            topics.sessionLedger(),
            ITEM + " or -",
            "a ledger entry: who may run",
            "session-runner",
            "console",
            "triage-stream",
            "triage --shadow"));
    all.add(
        of(
            topics.sessionEvents(),
            ITEM + ", tenant/source or -",
            "a lifecycle event",
            "session-runner",
            "triage-stream",
            "producer"));
    all.add(
        of(topics.sessionOutput(), "session id", "lines of an agent's output", "session-runner"));
    all.add(of(topics.analyses(), ITEM, "the item's newest analysis", "triage-stream"));
    all.add(
        of(
            topics.metrics(),
            "size/start/tenant",
            "what happened to a tenant's items in a minute or an hour; the newest record of a key"
                + " counts",
            "console"));
    all.add(of(topics.commands(), ITEM + " or -", "an operator's command", "console"));
    all.add(
        of(
            topics.deadLetters(),
            "the original key",
            "an unreadable or given-up record, with its reason",
            "producer",
            "triage-stream",
            "session-runner",
            "console"));
    return List.copyOf(all);
  }

  /** The file of a schema in a release's folder of schemas. */
  static String file(String schema) {
    return schema.replace('/', '-') + ".json";
  }

  /** The topic's name without its prefix. */
  String name() {
    return spec.name().replaceFirst("^flyball[.-]", "");
  }

  private static TopicFacts of(String name, String key, String value, String... writers) {
    return new TopicFacts(Topics.DEFAULT.spec(name), key, value, List.of(writers));
  }
}
