package dev.flyball.ops.console.page;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.view.DeadLetterRow;

/**
 * The dead letters.
 *
 * @param total how many there were since the projection began; fewer are kept
 */
public record DeadLettersPage(OlderRows<DeadLetterRow> letters, long total, Topics topics) {
  /** The action that brings a dead letter's content back; empty if none does. */
  public String action(DeadLetterRow letter) {
    if (tenant(letter).isEmpty()) {
      return "";
    }
    if (letter.topic().equals(topics.workItems())) {
      return "requeue";
    }
    return letter.topic().equals(topics.analyses()) ? "redeliver" : "";
  }

  /** The name of that action on its button. */
  public String named(DeadLetterRow letter) {
    return action(letter).equals("requeue") ? "Requeue" : "Redeliver";
  }

  /** What that action does. */
  public String hint(DeadLetterRow letter) {
    return action(letter).equals("requeue")
        ? "Triages the newest readable snapshot of this item among the dead letters again."
        : "Delivers the analyses of this item again that could not be delivered.";
  }

  /** The tenant of a dead letter's item; empty if its key names no item. */
  public String tenant(DeadLetterRow letter) {
    String key = letter.key();
    try {
      return key == null ? "" : ItemKey.parse(key).tenant();
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** Where the record was before. */
  public String from(DeadLetterRow letter) {
    String topic = Display.line(letter.topic(), 80);
    return letter.partition() < 0
        ? topic + ", line " + letter.offset()
        : topic + " " + letter.partition() + ":" + letter.offset();
  }
}
