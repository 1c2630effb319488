package dev.flyball.program.classifier;

/**
 * How a model is asked for a form of answer that nothing else makes it keep: the prompt ends with
 * the schema, and the answer is the object in what it wrote.
 */
final class SchemaInPrompt {
  private SchemaInPrompt() {}

  static String asked(String prompt, String schema) {
    return prompt
        + "\n\nAnswer with one JSON object and nothing else. It must match this JSON Schema:\n"
        + schema
        + "\n";
  }

  /** The object in an answer of a model that also writes a fence or a sentence around it. */
  static String object(String text) {
    int from = text.indexOf('{');
    int to = text.lastIndexOf('}');
    return from >= 0 && to > from ? text.substring(from, to + 1) : text;
  }
}
