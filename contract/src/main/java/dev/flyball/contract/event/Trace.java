package dev.flyball.contract.event;

import dev.flyball.contract.text.Sha256;

/**
 * The trace of one change of an item, from its tracker to its agent, as the W3C's Trace Context has
 * it (https://www.w3.org/TR/trace-context). All ids follow from names, so that every process knows
 * them without asking, and a record that is written again belongs to the same trace.
 *
 * @param id 32 hexadecimal digits
 */
public record Trace(String id) {
  /** The name of the span that begins a trace: the change was published. */
  public static final String CHANGE = "change";

  /** The header and, in capitals, the variable that carries a trace on. */
  public static final String PARENT = "traceparent";

  /**
   * The trace of a change.
   *
   * @param item the item's key
   * @param revision of the snapshot that changed
   */
  public static Trace of(String item, String revision) {
    return new Trace(Sha256.hex("trace\n" + item + "\n" + revision, 16));
  }

  /** The id of a span: 16 hexadecimal digits. */
  public String span(String name) {
    return Sha256.hex(id + "\n" + name, 8);
  }

  /** The value of {@code traceparent} for what follows from this span; always sampled. */
  public String parent(String span) {
    return "00-" + id + "-" + span(span) + "-01";
  }
}
