package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.launch.Shell;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads the topics from their beginning to their end and says what they add up to. */
final class LedgerAudit {
  /** Every effective claim by session, in log order. */
  final Map<String, LedgerEntry.Claim> claims = new LinkedHashMap<>();

  /** How each session's lease ended: released or expired, and when by append time. */
  final Map<String, Effect> ends = new HashMap<>();

  final Map<String, Instant> endTimes = new HashMap<>();

  /** Where in the log each session's claim stands, and the end of its lease. */
  final Map<String, Long> claimedAt = new HashMap<>();

  final Map<String, Long> endedAt = new HashMap<>();

  /** Append time of each session's last effective claim or renewal. */
  final Map<String, Instant> lastRenewal = new HashMap<>();

  /** Terminal events by session, in read order. */
  final Map<String, List<LifecycleEvent>> terminals = new HashMap<>();

  /** Every event, by partition order. */
  final List<LifecycleEvent> events = new ArrayList<>();

  /** The newest state of every item. */
  final Map<String, ItemState> items = new TreeMap<>();

  /** The state of the ledger. */
  LedgerState state = LedgerState.empty();

  static LedgerAudit of(String bootstrapServers) {
    var audit = new LedgerAudit();
    Topics topics = Topics.DEFAULT;
    for (var record : readAll(bootstrapServers, topics.sessionLedger())) {
      audit.state = audit.ledger(audit.state, record);
    }
    for (LifecycleEvent event : events(bootstrapServers)) {
      audit.events.add(event);
      if (event.type().terminal()) {
        String session = event.data().text(Field.SESSION).orElseThrow();
        audit.terminals.computeIfAbsent(session, key -> new ArrayList<>()).add(event);
      }
    }
    for (var record : readAll(bootstrapServers, topics.itemState())) {
      audit.items.put(record.key(), RecordJson.read(record.value(), ItemState.class));
    }
    return audit;
  }

  /** Both audits that anybody can run, the command's and the script's, find no broken promise. */
  static void assertNoPromiseIsBroken(Path folder, String bootstrapServers) {
    assertThat(
            List.of(
                CommandLineFixture.in(folder, "audit", "--bootstrap-servers", bootstrapServers)
                    .out(),
                Shell.said("python3", "../examples/audit.py", bootstrapServers)))
        .allMatch(it -> it.startsWith("no promise is broken"));
  }

  /** What session-requests lost, as the ledger knows it: ends count the marks of transactions. */
  List<LostTail> lostRequests(String bootstrapServers) {
    var ends = new HashMap<Integer, Long>();
    try (var consumer = clients(bootstrapServers).consumer("ends")) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(Topics.DEFAULT.sessionRequests()).stream()
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer
          .endOffsets(partitions)
          .forEach((partition, end) -> ends.put(partition.partition(), end));
    }
    return LostTail.find(state, ends);
  }

  private LedgerState ledger(LedgerState before, ConsumerRecord<String, byte[]> record) {
    LedgerEntry entry = RecordJson.read(record.value(), LedgerEntry.class);
    Instant time = Instant.ofEpochMilli(record.timestamp());
    var folded = before.fold(entry, record.offset(), time);
    switch (folded.effect()) {
      case Effect.Claimed claimed -> {
        claims.put(claimed.lease().session(), (LedgerEntry.Claim) entry);
        claimedAt.put(claimed.lease().session(), record.offset());
        lastRenewal.put(claimed.lease().session(), time);
      }
      case Effect.Renewed renewed ->
          renewed.leases().forEach(lease -> lastRenewal.put(lease.session(), time));
      case Effect.Released released -> end(released.lease().session(), released, record);
      case Effect.Expired expired -> end(expired.lease().session(), expired, record);
      case Effect.None none -> {}
      case Effect.Settled settled -> {}
      case Effect.Changed changed -> {}
      case Effect.Checkpointed checkpointed -> {}
      case Effect.UnknownRules unknown -> {}
    }
    return folded.state();
  }

  private void end(String session, Effect effect, ConsumerRecord<String, byte[]> record) {
    ends.put(session, effect);
    endTimes.put(session, Instant.ofEpochMilli(record.timestamp()));
    endedAt.put(session, record.offset());
  }

  /**
   * Effective claims that have not exactly one terminal event; INV-6 says there is none once all is
   * settled.
   */
  List<String> claimsWithoutExactlyOneTerminal() {
    return claims.keySet().stream()
        .filter(session -> terminals.getOrDefault(session, List.of()).size() != 1)
        .toList();
  }

  /** At no time more sessions than the cap, or two of an item; each claim ended once. */
  void assertInvariants(SessionSampler sampler, int cap) {
    assertThat(sampler.most()).as("INV-1 by /proc").isLessThanOrEqualTo(cap);
    assertThat(sampler.mostOf(this::itemOf)).as("INV-2 by /proc").isLessThanOrEqualTo(1);
    assertThat(claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
  }

  /** The same, and each of so many items was judged once and analyzed. */
  void assertAnalyzed(SessionSampler sampler, int cap, int items) {
    assertInvariants(sampler, cap);
    assertThat(sampler.mostOf(this::itemOf)).as("sessions were seen").isEqualTo(1);
    assertThat(this.items).as("INV-3").hasSize(items);
    assertThat(this.items.values().stream().map(ItemState::phase))
        .as("INV-3: each was analyzed")
        .allMatch(ItemPhase.Analyzed.class::isInstance);
    assertThat(count(EventType.ITEM_TRIAGED)).as("INV-4").isEqualTo(items);
  }

  /** Whether every known item is settled, nothing is pending and no lease is open. */
  boolean settled(int items) {
    return this.items.size() >= items
        && this.items.values().stream()
            .allMatch(item -> item.phase().settled() && item.pending() == null)
        && state.leases().isEmpty()
        && claimsWithoutExactlyOneTerminal().isEmpty();
  }

  /** For a person who reads what a story did. */
  String summary(SessionSampler sampler) {
    return "%d sessions, %d completed, %d interrupted, %d lost, at most %d at once"
        .formatted(
            claims.size(),
            count(EventType.SESSION_COMPLETED),
            count(EventType.SESSION_INTERRUPTED),
            count(EventType.SESSION_LOST),
            sampler.most());
  }

  /** How many events of a type there are. */
  long count(EventType type) {
    return events.stream().filter(event -> event.type() == type).count();
  }

  /** The item of a session. */
  String itemOf(String session) {
    LedgerEntry.Claim claim = claims.get(session);
    return claim == null ? "unclaimed " + session : claim.item().toString();
  }

  /** All committed records of a topic, from its beginning to its end now. */
  static List<ConsumerRecord<String, byte[]>> readAll(String bootstrapServers, String topic) {
    return KafkaFixture.records(clients(bootstrapServers), topic);
  }

  /** Every entry of the ledger. */
  static List<LedgerEntry> entries(String bootstrapServers) {
    return readAll(bootstrapServers, Topics.DEFAULT.sessionLedger()).stream()
        .map(record -> RecordJson.read(record.value(), LedgerEntry.class))
        .toList();
  }

  /** Every event, by partition order. */
  static List<LifecycleEvent> events(String bootstrapServers) {
    return readAll(bootstrapServers, Topics.DEFAULT.sessionEvents()).stream()
        .map(record -> EventHeaders.read(record.headers(), record.value()))
        .toList();
  }

  /** What triage and operators spent of the budgets, in micro-dollars. */
  static long spentMicros(String bootstrapServers) {
    return entries(bootstrapServers).stream()
        .mapToLong(entry -> entry instanceof LedgerEntry.Spend spend ? spend.costMicros() : 0)
        .sum();
  }

  private static KafkaClients clients(String bootstrapServers) {
    return new KafkaClients(KafkaSettings.of(bootstrapServers), "test");
  }
}
