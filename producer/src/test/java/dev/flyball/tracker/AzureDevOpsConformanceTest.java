package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.tracker.azure.ScriptedAzure;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Azure DevOps as its documentation describes it; written by us, not recorded. */
class AzureDevOpsConformanceTest extends SourceConformance {
  private static final Instant CHANGED = Instant.parse("2026-02-10T08:00:00Z");
  private static final long ITEMS = 201;
  private static final long BROKEN = 999;

  private final Map<Stock, ScriptedAzure> trackers = new ConcurrentHashMap<>();

  @Override
  protected SourceConfig config(URI url, Credential token) {
    return TestSources.azure(
        url + "/org/project",
        "SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = @project",
        token);
  }

  @Override
  protected Places places() {
    return new Places(
        "12",
        "/org/_apis/connectionData",
        "/authenticatedUser/id",
        "/org/project/_apis/wit/workItems/12/comments",
        "/comments",
        "/org/project/_apis/wit/workItems/12/comments/",
        "/createdBy/id",
        "text");
  }

  @Override
  protected Set<String> ids() {
    return LongStream.rangeClosed(1, ITEMS).mapToObj(Long::toString).collect(Collectors.toSet());
  }

  @Override
  protected Optional<OpenApiCheck> description() {
    return Optional.of(OpenApiCheck.of("azure-devops.json"));
  }

  @Test
  void aRefusalThatEchoesTheTokenIsBlottedOut() {
    goesWrongAt(1, FaultReply.json(400, "{\"message\":\"TF400898: s3cr3t-7b1f0c2d9e4a is bad\"}"));

    assertThat(failed(source()).reason()).contains("TF400898", "[redacted]");
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    ScriptedAzure azure = trackers.computeIfAbsent(stock, AzureDevOpsConformanceTest::with);
    FaultReply reply = azure.answer(request);
    return stock == Stock.REPEATED && request.path().endsWith("workitemsbatch")
        ? withItemOne(reply, azure)
        : reply;
  }

  private static ScriptedAzure with(Stock stock) {
    var azure = new ScriptedAzure().at(CHANGED);
    if (stock != Stock.EMPTY) {
      LongStream.rangeClosed(1, ITEMS).forEach(id -> azure.change(id, "Item " + id));
    }
    if (stock == Stock.UNREADABLE) {
      azure.changeBroken(BROKEN);
    }
    return azure.at(CHANGED.plusSeconds(300));
  }

  /** Every batch has item 1, whether it was asked for or not. */
  private static FaultReply withItemOne(FaultReply reply, ScriptedAzure azure) {
    String body = new String(((FaultReply.Whole) reply).body(), StandardCharsets.UTF_8);
    var batch = (ObjectNode) RecordJson.parse(body);
    ((ArrayNode) batch.path("value")).add(azure.item(1));
    return FaultReply.json(200, Map.of(), RecordJson.write(batch));
  }
}
