package dev.flyball.program.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What happens in a demo, and when: each step is one line of the items file, as a tracker would
 * report it. Pure.
 *
 * @param steps in the order of their times
 */
record DemoStory(List<Step> steps) {
  private static final String AT = "at";
  private static final String NOTE = "note";

  DemoStory {
    steps = List.copyOf(steps);
  }

  /**
   * One change of an item.
   *
   * @param at how long after the start
   * @param note what a person sees it for
   * @param id the item's id
   * @param line the line of the items file
   */
  record Step(Duration at, String note, String id, String line) {}

  /**
   * Reads a story: lines of an items file, each with two more fields, {@code at} in seconds and
   * {@code note}.
   */
  static DemoStory parse(String text) {
    var steps = new ArrayList<Step>();
    for (String line : text.lines().toList()) {
      JsonNode whole = RecordJson.parse(line);
      Map<String, Object> item = new LinkedHashMap<>();
      whole
          .properties()
          .forEach(field -> {
            if (!Set.of(AT, NOTE).contains(field.getKey())) {
              item.put(field.getKey(), field.getValue());
            }
          });
      steps.add(
          new Step(
              Duration.ofMillis((long) (whole.path(AT).asDouble() * 1000)),
              whole.path(NOTE).asText(),
              whole.path("id").asText(),
              RecordJson.write(item)));
    }
    return new DemoStory(steps);
  }

  /** The steps whose time has come and that were not played before. */
  List<Step> due(Duration since, int played) {
    return steps.stream().skip(played).takeWhile(step -> step.at().compareTo(since) <= 0).toList();
  }

  /** The ids of all items. */
  Set<String> ids() {
    return steps.stream().map(Step::id).collect(Collectors.toUnmodifiableSet());
  }
}
