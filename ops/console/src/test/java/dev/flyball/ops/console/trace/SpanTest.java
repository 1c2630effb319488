package dev.flyball.ops.console.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.event.Trace;
import dev.flyball.contract.json.RecordJson;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a trace of one change shows. */
class SpanTest {
  private static final String ITEM = "acme/web/42";
  private static final Instant AT = Instant.parse("2026-11-29T10:00:00Z");
  private static final Trace TRACE = Trace.of(ITEM, "7");

  private final Span.Maker maker = new Span.Maker();

  @Test
  void aChangeIsTheParentOfItsTriageItsWaitItsSessionAndItsWriteBack() {
    Span change = only(event(EventType.ITEM_CHANGED, 0, revision()));
    Span triage = only(event(EventType.ITEM_TRIAGED, 3, revision().with(Field.MODEL, "rules")));
    List<Span> session = maker.of(ended(EventType.SESSION_COMPLETED));
    EventData delivered = revision().with(Field.WAITING_MS, 2_000L, Field.REASON, "a locked issue");
    Span writeBack = only(event(EventType.WRITE_BACK_FAILED, 70, delivered));

    assertThat(List.of(change, triage, session.getFirst(), session.getLast(), writeBack))
        .extracting(Span::trace)
        .containsOnly(TRACE.id());
    assertThat(change.parent()).isNull();
    assertThat(List.of(triage, session.getFirst(), session.getLast(), writeBack))
        .extracting(Span::parent)
        .containsOnly(change.id());
    assertThat(Duration.between(triage.start(), triage.end())).hasSeconds(3);
    assertThat(triage.attributes()).containsEntry("flyball.model", "rules");
    assertThat(writeBack.start()).isEqualTo(AT.plusSeconds(68));
    assertThat(writeBack.error()).isEqualTo("a locked issue");
  }

  @Test
  void aSessionHasTheTimesThatItsRunnerMeasuredAndTheIdThatItsAgentGot() {
    List<Span> spans = maker.of(ended(EventType.SESSION_FAILED));

    Span wait = spans.getFirst();
    Span session = spans.getLast();
    assertThat(wait.name()).isEqualTo("wait");
    assertThat(Duration.between(wait.start(), wait.end())).hasSeconds(5);
    assertThat(session.start()).isEqualTo(wait.end());
    assertThat(Duration.between(session.start(), session.end())).hasSeconds(20);
    assertThat(session.end()).isEqualTo(AT.plusSeconds(59));
    assertThat(session.error()).isEqualTo("exit 1");
    assertThat(TRACE.parent("s-1"))
        .isEqualTo("00-" + session.trace() + "-" + session.id() + "-01")
        .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01");
  }

  @Test
  void aSessionWithoutAnAgentIsOnlyAWait() {
    EventData data = revision().with(Field.SESSION, "s-1").with(Field.WAITING_MS, 5_000L);
    assertThat(maker.of(event(EventType.SESSION_INTERRUPTED, 60, data)))
        .extracting(Span::name)
        .containsExactly("wait");
  }

  @Test
  void aPollIsATraceBySelfAndFailsWithItsReason() {
    EventData poll = EventData.EMPTY.with(Field.POLL, "p-1");
    assertThat(maker.of(event(EventType.POLL_STARTED, 0, poll))).isEmpty();
    Span failed = only(event(EventType.POLL_FAILED, 2, poll.with(Field.REASON, "502")));

    assertThat(failed.error()).isEqualTo("502");
    assertThat(failed.parent()).isNull();
    assertThat(Duration.between(failed.start(), failed.end())).hasSeconds(2);
  }

  @Test
  void whatBeganBeforeThisProcessHasNoLength() {
    Span triage = only(event(EventType.ITEM_TRIAGED, 3, revision()));
    assertThat(triage.start()).isEqualTo(triage.end());
  }

  @Test
  void recordsOfAnItemCarryItsTrace() {
    var headers = EventHeaders.of(event(EventType.ITEM_CHANGED, 0, revision()));
    assertThat(EventHeaders.text(headers, "traceparent")).isEqualTo(TRACE.parent(Trace.CHANGE));
  }

  @Test
  void theBodyIsAnExportTraceServiceRequest() {
    JsonNode body = RecordJson.tree(TraceExporter.body(maker.of(ended(EventType.SESSION_FAILED))));
    JsonNode span = body.at("/resourceSpans/0/scopeSpans/0/spans/1");
    assertThat(span.path("traceId").asText()).isEqualTo(TRACE.id());
    assertThat(span.path("startTimeUnixNano").asText()).isEqualTo("1795946439000000000");
    assertThat(span.at("/status/code").asInt()).isEqualTo(2);
    assertThat(body.at("/resourceSpans/0/resource/attributes/0/value/stringValue").asText())
        .isEqualTo("flyball");
  }

  private Span only(LifecycleEvent event) {
    List<Span> spans = maker.of(event);
    assertThat(spans).hasSize(1);
    return spans.getFirst();
  }

  private static LifecycleEvent ended(EventType type) {
    return event(
        type,
        60,
        revision()
            .with(Field.SESSION, "s-1")
            .with(Field.PID, 17L)
            .with(Field.AGENT, "scout")
            .with(Field.REASON, "exit 1")
            .with(Field.WAITING_MS, 5_000L)
            .with(Field.RUNNING_MS, 20_000L)
            .with(Field.REPORTING_MS, 1_000L));
  }

  private static EventData revision() {
    return EventData.EMPTY.with(Field.REVISION, "7");
  }

  private static LifecycleEvent event(EventType type, int second, EventData data) {
    String subject = data.has(Field.POLL) ? "acme/web" : ITEM;
    return new LifecycleEvent("e", type, "/test", subject, AT.plusSeconds(second), data);
  }
}
