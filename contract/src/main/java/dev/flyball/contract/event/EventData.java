package dev.flyball.contract.event;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Receipt;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a lifecycle event: fields of the catalogue {@link Field} and nothing else,
 * immutable. Fields of a newer version are kept unchanged, so that a relay loses nothing.
 */
public final class EventData {
  /** A payload without fields. */
  public static final EventData EMPTY = new EventData(JsonNodeFactory.instance.objectNode());

  private final ObjectNode fields;

  private EventData(ObjectNode fields) {
    this.fields = fields;
  }

  /** Reads a payload. */
  @JsonCreator
  public static EventData of(ObjectNode fields) {
    return new EventData(fields.deepCopy());
  }

  /** Returns this payload with one more field; a null value changes nothing. */
  public EventData with(Field field, @Nullable Object value) {
    if (value == null) {
      return this;
    }
    ObjectNode copy = copy();
    set(copy, field, value);
    return new EventData(copy);
  }

  /** Returns this payload with two more fields; a null value changes nothing. */
  public EventData with(Field first, @Nullable Object one, Field second, @Nullable Object two) {
    ObjectNode copy = copy();
    set(copy, first, one);
    set(copy, second, two);
    return new EventData(copy);
  }

  private static void set(ObjectNode to, Field field, @Nullable Object value) {
    if (value instanceof String text) {
      to.set(field.json(), TextNode.valueOf(text));
    } else if (value != null) {
      to.set(field.json(), RecordJson.tree(value));
    }
  }

  /** Returns this payload, overridden by all fields of another. */
  public EventData withAll(EventData other) {
    ObjectNode copy = copy();
    copy.setAll(other.fields);
    return new EventData(copy);
  }

  /** A copy of the fields; their values are shared, since none is ever changed. */
  private ObjectNode copy() {
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    copy.setAll(fields);
    return copy;
  }

  /** Only these fields of this payload. */
  public EventData only(Collection<Field> names) {
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    for (Field field : names) {
      JsonNode node = fields.get(field.json());
      if (node != null) {
        copy.set(field.json(), node.deepCopy());
      }
    }
    return new EventData(copy);
  }

  /** Whether the field is present. */
  public boolean has(Field field) {
    return fields.hasNonNull(field.json());
  }

  /** A field's text; empty if the field is absent. */
  public Optional<String> text(Field field) {
    JsonNode node = fields.get(field.json());
    return node == null || node.isNull() ? Optional.empty() : Optional.of(node.asText());
  }

  /** A field's number; empty if the field is absent or no number. */
  public OptionalLong number(Field field) {
    JsonNode node = fields.get(field.json());
    return node == null || !node.isNumber() ? OptionalLong.empty() : OptionalLong.of(node.asLong());
  }

  /**
   * A field that holds a record of the contract; empty if the field is absent.
   *
   * @throws dev.flyball.contract.json.UnreadableRecord if it has another shape
   */
  public <T> Optional<T> record(Field field, Class<T> type) {
    JsonNode node = fields.get(field.json());
    return node == null || node.isNull()
        ? Optional.empty()
        : Optional.of(RecordJson.fromTree(node, type));
  }

  /**
   * How many processes outlive their session: by its receipt, else by the field of a report; empty
   * if the event says nothing of them.
   *
   * @throws dev.flyball.contract.json.UnreadableRecord if the receipt is none
   */
  public OptionalLong survivors() {
    Integer counted = record(Field.RECEIPT, Receipt.class).map(Receipt::survivors).orElse(null);
    return counted == null ? number(Field.SURVIVORS) : OptionalLong.of(counted);
  }

  @JsonValue
  ObjectNode json() {
    return fields;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EventData data && data.fields.equals(fields);
  }

  @Override
  public int hashCode() {
    return fields.hashCode();
  }

  @Override
  public String toString() {
    return fields.toString();
  }
}
