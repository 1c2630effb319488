package dev.flyball.contract.docs;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON Schema draft-07 (what AsyncAPI reads) of the records as RecordJson writes them, each file
 * complete in itself. Unknown properties are allowed, as readers allow them.
 */
final class RecordSchemas {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Map<Type, String> INTEGERS =
      Map.of(int.class, "int32", Integer.class, "int32", long.class, "int64", Long.class, "int64");

  private final Javadocs docs = new Javadocs();
  private ObjectNode definitions = JSON.objectNode();

  /** The schema of a topic's value. */
  ObjectNode of(String schema, Class<?> type) {
    ObjectNode root = head(schema, docs.of(type));
    definitions = JSON.objectNode();
    root.setAll(type.isRecord() ? object(type) : choice(type));
    return closed(root);
  }

  /**
   * The schema of every lifecycle event's payload; what each type requires stands under its name in
   * definitions.
   */
  ObjectNode ofEvents(String schema) {
    ObjectNode root =
        head(
            schema,
            "The payload of a lifecycle event. The type is the header ce_type; definitions has what"
                + " each type requires.");
    definitions = JSON.objectNode();
    root.put("type", "object");
    ObjectNode properties = root.putObject("properties");
    for (Field field : Field.values()) {
      properties.set(field.json(), described(shape(field.shape()), field.meaning()));
    }
    for (EventType type : EventType.values()) {
      ObjectNode definition = definitions.putObject(type.type());
      definition.put("description", type.meaning());
      ArrayNode required = definition.putArray("required");
      type.required().forEach(field -> required.add(field.json()));
    }
    return closed(root);
  }

  private static ObjectNode head(String schema, String description) {
    ObjectNode root = JSON.objectNode();
    root.put("$schema", "http://json-schema.org/draft-07/schema#");
    root.put("$id", "urn:flyball:schema:" + schema.replace('/', ':'));
    root.put("title", schema);
    return root.put("description", description);
  }

  private ObjectNode closed(ObjectNode root) {
    if (!definitions.isEmpty()) {
      root.set("definitions", definitions);
    }
    return root;
  }

  private ObjectNode object(Class<?> type) {
    ObjectNode node = JSON.objectNode();
    node.put("type", "object");
    ArrayNode required = JSON.arrayNode();
    ObjectNode properties = node.putObject("properties");
    for (RecordComponent component : type.getRecordComponents()) {
      properties.set(
          component.getName(),
          described(shape(component.getGenericType()), docs.of(type, component.getName())));
      AnnotatedType annotated = component.getAnnotatedType();
      if (!annotated.isAnnotationPresent(Nullable.class)) {
        required.add(component.getName());
      }
    }
    if (!required.isEmpty()) {
      node.set("required", required);
    }
    return node;
  }

  /** One of several records, told apart by one property. */
  private ObjectNode choice(Class<?> type) {
    String property = type.getAnnotation(JsonTypeInfo.class).property();
    ObjectNode node = JSON.objectNode();
    node.put("type", "object");
    node.putObject("properties").putObject(property).put("type", "string");
    node.putArray("required").add(property);
    ArrayNode choices = node.putArray("oneOf");
    for (JsonSubTypes.Type choice : type.getAnnotation(JsonSubTypes.class).value()) {
      ObjectNode one = described(object(choice.value()), docs.of(choice.value()));
      ((ObjectNode) one.path("properties")).putObject(property).put("const", choice.name());
      String name = type.getSimpleName() + "." + choice.name();
      definitions.set(name, one);
      choices.addObject().put("$ref", "#/definitions/" + name);
    }
    return node;
  }

  private ObjectNode shape(Type type) {
    ObjectNode node = JSON.objectNode();
    if (type instanceof ParameterizedType generic) {
      Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      return generic.getRawType() == List.class
          ? node.put("type", "array").set("items", shape(last))
          : node.put("type", "object").set("additionalProperties", shape(last));
    }
    if (INTEGERS.containsKey(type)) {
      return node.put("type", "integer").put("format", INTEGERS.get(type));
    }
    if (type == boolean.class || type == Boolean.class) {
      return node.put("type", "boolean");
    }
    if (type == String.class) {
      return node.put("type", "string");
    }
    if (type == List.class) {
      return node.put("type", "array");
    }
    if (type == Instant.class) {
      return node.put("type", "string").put("format", "date-time");
    }
    if (type == ItemKey.class) {
      return node.put("type", "string").put("pattern", "^[a-z0-9-]+/[a-z0-9-]+/.+$");
    }
    if (type == Fingerprint.class) {
      return node.put("type", "string").put("pattern", "^.+#[0-9a-f]{32}$");
    }
    return type == JsonNode.class ? node : reference((Class<?>) type);
  }

  private ObjectNode reference(Class<?> type) {
    if (type.isEnum()) {
      ObjectNode node = JSON.objectNode().put("type", "string");
      ArrayNode values = node.putArray("enum");
      Arrays.stream(type.getEnumConstants()).map(RecordJson::tree).forEach(values::add);
      return node;
    }
    String name = type.getSimpleName();
    if (!definitions.has(name)) {
      definitions.putObject(name);
      definitions.set(
          name, described(type.isRecord() ? object(type) : choice(type), docs.of(type)));
    }
    return JSON.objectNode().put("$ref", "#/definitions/" + name);
  }

  private static ObjectNode described(ObjectNode node, String description) {
    if (description.isEmpty()) {
      return node;
    }
    ObjectNode first = JSON.objectNode().put("description", description);
    return first.setAll(node);
  }
}
