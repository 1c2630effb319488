package dev.flyball.contract.event;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/** The CloudEvents Kafka binding in binary mode, and the {@code schema} header of every record. */
public final class EventHeaders {
  /** Header with the record's schema, for example {@code work-item/1}. */
  public static final String SCHEMA = "schema";

  /**
   * The header of a record in triage-verdicts without a value whose question is not lost, but waits
   * for the classifier; its value says why.
   */
  public static final String DEFERRED = "deferred";

  /**
   * Header of a work item: a hash of all fields that the tracker sent, whether or not they make the
   * item changed. A producer that takes a source over uses it to know what was already published.
   */
  public static final String DIGEST = "digest";

  /** The schema of every lifecycle event. */
  public static final String EVENT_SCHEMA = "session-event/1";

  private EventHeaders() {}

  /** Headers with a schema only. */
  public static Headers schema(String schema) {
    return new RecordHeaders().add(SCHEMA, bytes(schema));
  }

  /** The envelope of an event as headers, with the trace of the item's revision that it names. */
  public static Headers of(LifecycleEvent event) {
    Headers headers = envelope(event);
    event.data().text(Field.REVISION).ifPresent(it -> trace(headers, event.subject(), it));
    return headers;
  }

  /** Adds the trace of an item's revision. */
  public static Headers trace(Headers headers, String item, String revision) {
    return headers.add(Trace.PARENT, bytes(Trace.of(item, revision).parent(Trace.CHANGE)));
  }

  private static Headers envelope(LifecycleEvent event) {
    return schema(EVENT_SCHEMA)
        .add("ce_specversion", bytes("1.0"))
        .add("ce_id", bytes(event.id()))
        .add("ce_type", bytes(event.type().type()))
        .add("ce_source", bytes(event.source()))
        .add("ce_subject", bytes(event.subject()))
        .add("ce_time", bytes(event.time().toString()))
        .add("content-type", bytes("application/json"));
  }

  /** The type of an event, without reading its value; empty for types of a newer version. */
  public static Optional<EventType> typeOf(Headers headers) {
    return Optional.ofNullable(text(headers, "ce_type")).flatMap(EventType::ofType);
  }

  /**
   * Reads an event.
   *
   * @throws UnreadableRecord if a header is missing or malformed, or the value is no JSON object
   */
  public static LifecycleEvent read(Headers headers, byte[] value) {
    String type = require(headers, "ce_type");
    try {
      return new LifecycleEvent(
          require(headers, "ce_id"),
          EventType.ofType(type)
              .orElseThrow(() -> new UnreadableRecord("unknown event type " + type)),
          require(headers, "ce_source"),
          require(headers, "ce_subject"),
          Instant.parse(require(headers, "ce_time")),
          RecordJson.read(value, EventData.class));
    } catch (DateTimeParseException e) {
      throw new UnreadableRecord("header ce_time is no ISO instant");
    }
  }

  /** A header's text, null if absent. */
  public static @Nullable String text(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    return header == null || header.value() == null
        ? null
        : new String(header.value(), StandardCharsets.UTF_8);
  }

  private static String require(Headers headers, String name) {
    String text = text(headers, name);
    if (text == null) {
      throw new UnreadableRecord("header " + name + " is missing");
    }
    return text;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
