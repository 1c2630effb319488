package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.ChatVerdicts;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The time of a call is scaled: 2 s instead of 2 minutes. */
@Tag("long")
@Timeout(300)
@DisplayName(
    "Items on which the model fails stop no other item of any tenant: rules judge them with the"
        + " reason, and calls and cost are bounded; a skipped item's question is asked no more")
final class PoisonedTriageIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int ITEMS = 30;
  private static final int MOST_AT_ONCE = 8;

  /** What a call of unknown cost is booked with. */
  private static final long UNKNOWN_MICROS = 100_000;

  /** By the prices below. */
  private static final long ANSWER_MICROS =
      ChatVerdicts.INPUT_TOKENS + 5L * ChatVerdicts.OUTPUT_TOKENS;

  /** What a content filter of Azure OpenAI answers. */
  private static final String FILTERED =
      "{\"error\":{\"code\":\"content_filter\",\"message\":\"The response was filtered\"}}";

  @Test
  void theyAreJudgedByRulesAndTheCallsAreBounded(@TempDir Path folder) {
    try (FaultServer model = FaultServer.http();
        var cluster = Cluster.in(folder, Workplace.ANSWERS).configure(3, Workplace.SCALED)) {
      String address = cluster.kafka;
      model.otherwise(request -> FaultReply.json(401, "{}"));
      Workplace place =
          cluster.place.change(
              "(sources:\n).*\n",
              """
              $1  - {name: web, tenant: acme, type: jsonl, path: acme.jsonl, interval: 1s}
                - {name: web, tenant: globex, type: jsonl, path: globex.jsonl, interval: 1s}
              """);
      String first = item(101, "usual") + item(102, "UNWANTED") + item(103, "usual");
      place.write("acme.jsonl", first);
      place.write("globex.jsonl", "");

      cluster.with(variables(model)).start(1);
      List<FaultRequest> calls = anOperatorRemovesAQuestion(cluster, model);
      var acme = new StringBuilder(first);
      var globex = new StringBuilder();
      for (int id = 1; id <= ITEMS; id++) {
        acme.append(item(id, id == 3 ? "FILTERED" : id == 11 || id == 25 ? "HANGS" : "usual"));
        globex.append(item(id, "usual"));
      }
      place.write("acme.jsonl", acme.toString());
      place.write("globex.jsonl", globex.toString());
      await("every item is judged")
          .atMost(PATIENCE)
          .until(() -> verdicts(address).size() == 2 + 2 * ITEMS);
      Map<String, Verdict> verdicts = verdicts(address);
      assertThat(
              verdicts.entrySet().stream()
                  .filter(each -> !each.getValue().model().equals("small"))
                  .map(Map.Entry::getKey))
          .containsExactly("acme/web/11", "acme/web/25", "acme/web/3");
      assertReason(verdicts.get("acme/web/3"), "content_filter");
      assertReason(verdicts.get("acme/web/11"), "no answer");
      assertReason(verdicts.get("acme/web/25"), "no answer");

      long rejected = calls.stream().filter(PoisonedTriageIT::rejected).count();
      long hung =
          calls.stream().filter(each -> !rejected(each) && each.body().contains("HANGS")).count();
      long cost = hung * UNKNOWN_MICROS + (calls.size() - rejected - hung) * ANSWER_MICROS;
      System.out.printf(
          "triage of %d items, 3 of them bad: %d calls, %d rejected, %d without an answer,"
              + " %d micro-dollars; items of each call: %s%n",
          2 * ITEMS,
          calls.size(),
          rejected,
          hung,
          cost,
          calls.stream().map(each -> ChatVerdicts.items(each.body()).size()).toList());
      assertThat(calls).noneMatch(PoisonedTriageIT::unwanted);
      assertThat(calls)
          .hasSizeLessThanOrEqualTo(2 + 2 * ITEMS / MOST_AT_ONCE + 1 + 14 + 2 * 18 + 10);
      assertThat(hung).as("calls that others wait for").isLessThanOrEqualTo(2 * 3);
      await("each call is booked once").until(() -> LedgerAudit.spentMicros(address) == cost);
    }
  }

  /** Also while the model rejects every call; the calls from when it answers again on. */
  private static List<FaultRequest> anOperatorRemovesAQuestion(Cluster cluster, FaultServer model) {
    await("a call about it")
        .atMost(PATIENCE)
        .until(() -> model.requests().stream().anyMatch(PoisonedTriageIT::unwanted));
    cluster.order("skip", "acme/web/102", "--why", "not wanted");
    await("a call without it").atMost(PATIENCE).until(() -> !unwanted(model.requests().getLast()));
    var calls = new CopyOnWriteArrayList<FaultRequest>();
    model.otherwise(call -> {
      calls.add(call);
      return answer(call);
    });
    await("the others are judged")
        .atMost(PATIENCE)
        .until(
            () -> verdicts(cluster.kafka).keySet().equals(Set.of("acme/web/101", "acme/web/103")));
    return calls;
  }

  private static boolean unwanted(FaultRequest call) {
    return call.body().contains("UNWANTED");
  }

  private static boolean rejected(FaultRequest call) {
    return ChatVerdicts.items(call.body()).size() > MOST_AT_ONCE
        || (!call.body().contains("HANGS") && call.body().contains("FILTERED"));
  }

  private static FaultReply answer(FaultRequest call) {
    String body = call.body();
    if (rejected(call)) {
      return ChatVerdicts.items(body).size() > MOST_AT_ONCE
          ? FaultReply.json(413, "{}")
          : FaultReply.json(400, FILTERED);
    }
    return body.contains("HANGS") ? new FaultReply.Silent() : ChatVerdicts.of(body, 0);
  }

  private static String item(int id, String text) {
    return "{\"id\":\"%d\",\"title\":\"Item %d\",\"description\":\"%s\",\"revision\":\"1\"}%n"
        .formatted(id, id, text);
  }

  private static void assertReason(@Nullable Verdict verdict, String text) {
    assertThat(verdict).extracting(Verdict::reason).asString().contains(text);
  }

  /** The newest verdict of each item, in the order of their keys. */
  private static Map<String, Verdict> verdicts(String kafka) {
    var all = new TreeMap<String, Verdict>();
    for (var record : LedgerAudit.readAll(kafka, Topics.DEFAULT.triageVerdicts())) {
      if (record.value() != null) {
        all.put(record.key(), RecordJson.read(record.value(), Verdict.class));
      }
    }
    return all;
  }

  private static Map<String, String> variables(FaultServer model) {
    return Map.of(
        "FLYBALL_TRIAGE_CLASSIFIER", "messages",
        "FLYBALL_TRIAGE_API", "chat",
        "FLYBALL_TRIAGE_URL", model.url().toString(),
        "FLYBALL_TRIAGE_MODEL", "small",
        "FLYBALL_TRIAGE_PRICES_INPUT", "1",
        "FLYBALL_TRIAGE_PRICES_OUTPUT", "5",
        "FLYBALL_TRIAGE_TIMEOUT", "2s",
        "FLYBALL_TRIAGE_BATCH_ITEMS", "16");
  }
}
