package dev.flyball.program.config;

import java.util.List;

/** The sources' part of docs/configuration.md, made from their keys. */
final class SourceDocs {
  private static final String COMMON =
      """

      Every source has these keys:

      """;

  private static final String TYPES =
      """

      Tokens come from the environment of the producer or from a file's first line, and are read again for each poll; a token
      in this file is rejected. `docs/trackers` says how to get one with the least rights. Each type has further keys:

      | type | key | default | allowed | meaning |
      |---|---|---|---|---|
      """;

  private SourceDocs() {}

  static String markdown() {
    var page = new StringBuilder(COMMON);
    page.append("| key of a source | default | allowed | meaning |\n|---|---|---|---|\n");
    for (Key<?> key : SourceKeys.COMMON) {
      boolean required = List.of(SourceKeys.NAME, SourceKeys.TYPE).contains(key);
      page.append(row(key, required));
    }
    page.append(TYPES);
    for (SourceType type : SourceType.values()) {
      page.append("| `").append(type.label()).append("` | | | | ");
      page.append(type.meaning()).append(" |\n");
      for (Key<?> key : type.own()) {
        page.append("| ").append(row(key, type.required().contains(key)));
      }
    }
    return page.toString();
  }

  private static String row(Key<?> key, boolean required) {
    String initial = key.initial() == null || key.initial().isEmpty() ? "" : key.initial();
    String shown = required ? "(required)" : initial.isEmpty() ? "" : "`" + initial + "`";
    return "| `"
        + key.name()
        + "` | "
        + shown
        + " | "
        + key.type().allowed()
        + " | "
        + key.meaning()
        + " |\n";
  }
}
