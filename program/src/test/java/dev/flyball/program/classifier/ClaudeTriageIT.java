package dev.flyball.program.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.config.ConfiguredClassifier.ByAgent;
import dev.flyball.runner.RunnerConfig.Confinement;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.Claude;
import dev.flyball.testkit.InstalledProgram;
import dev.flyball.testkit.MessagesApi;
import dev.flyball.testkit.MessagesApi.Turn;
import dev.flyball.testkit.ProcSampler;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.BatchPrompt;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelClassifier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@Timeout(120)
@DisplayName("The real claude judges a batch, against a provider of ours (S0-35)")
class ClaudeTriageIT {
  private static final Pattern ASKED =
      Pattern.compile("Give exactly one verdict for each of these ids: ([0-9a-f -]+)");

  @TempDir Path folder;

  @Test
  void sixteenItemsAreOneRequestWithoutToolsAndSixteenVerdicts() throws Exception {
    try (var api = MessagesApi.answering(new Turn.Structures(ClaudeTriageIT::verdicts));
        AgentCall call = call(api)) {
      Answer answer = classifier(call).classify(batch(), ModelClassifier.MOST_CALLS);

      assertThat(answer.judgements())
          .extracting(Judgement::id)
          .containsExactlyInAnyOrderElementsOf(batch().stream().map(Question::id).toList());
      assertThat(answer.judgements().stream().filter(Judgement::needsDeepAnalysis)).hasSize(3);
      assertThat(answer.costMicros()).isBetween(1L, 100_000L);
      assertThat(api.requests()).hasSize(1);
      JsonNode request = RecordJson.parse(api.requests().getFirst());
      assertThat(request.path("model").asText()).contains("haiku");
      assertThat(request.path("tools").findValuesAsText("name"))
          .contains("StructuredOutput")
          .isSubsetOf("StructuredOutput", "DeferredToolPlaceholder");
    }
    assertThat(ProcSampler.sessions("HOME=" + folder)).isEmpty();
  }

  @Test
  void aProviderThatDeclinesIsWaitedForAndCostsNothing() throws Exception {
    try (var api = MessagesApi.answering(new Turn.Fails(429));
        AgentCall call = call(api)) {
      assertThatThrownBy(() -> classifier(call).classify(batch(), ModelClassifier.MOST_CALLS))
          .isInstanceOfSatisfying(
              ModelFailure.class,
              failure -> {
                assertThat(failure.kind()).isEqualTo(ModelFailure.Kind.UNAVAILABLE);
                assertThat(failure.costMicros()).isZero();
              });
    }
  }

  @Test
  void anAnswerWithoutTheSchemaIsTheFaultOfItsBatch() throws Exception {
    try (var api = MessagesApi.answering(new Turn.Says("All of them, I think."));
        AgentCall call = call(api)) {
      assertThatThrownBy(() -> classifier(call).classify(batch(), ModelClassifier.MOST_CALLS))
          .isInstanceOfSatisfying(
              ModelFailure.class,
              failure -> assertThat(failure.kind()).isEqualTo(ModelFailure.Kind.BAD_BATCH));
    }
  }

  private static ModelClassifier classifier(AgentCall call) {
    return new ModelClassifier(
        call, BatchPrompt.BUNDLED, 100_000, 16_384, () -> UUID.randomUUID().toString());
  }

  private static String verdicts(String body) {
    var found = ASKED.matcher(body);
    assertThat(found.find()).isTrue();
    List<String> ids = List.of(found.group(1).strip().split(" "));
    List<Map<String, Object>> verdicts =
        IntStream.range(0, ids.size())
            .mapToObj(i ->
                Map.<String, Object>of(
                    "id",
                    ids.get(i),
                    "deep",
                    i < 3,
                    "complexity",
                    2,
                    "modules",
                    List.of("m"),
                    "priority",
                    1,
                    "reason",
                    "item " + i))
            .toList();
    return RecordJson.write(Map.of("verdicts", verdicts));
  }

  private AgentCall call(MessagesApi api) throws IOException {
    var environment = new HashMap<>(api.environment());
    environment.put("PATH", InstalledProgram.claude().getParent() + ":/usr/bin:/bin");
    environment.put("HOME", folder.toString());
    // Seconds, not minutes, until it gives up.
    environment.put("CLAUDE_CODE_MAX_RETRIES", "1");
    var call =
        new AgentCall(
            new ByAgent(AgentProfile.usual(new Claude("haiku")), Duration.ofSeconds(60), 100_000),
            folder.resolve("calls"),
            List.of("CLAUDE_CODE_MAX_RETRIES"),
            Confinement.DEFAULT,
            AgentCall.limits(Duration.ofSeconds(60), 0),
            environment);
    call.open();
    return call;
  }

  private static List<Question> batch() {
    return IntStream.range(0, 16)
        .mapToObj(i ->
            new Question(
                "t" + i,
                ItemKey.parse("acme/web/" + i),
                Sample.snapshot("title " + i, "The ledger loses entry " + i + ".")))
        .toList();
  }
}
