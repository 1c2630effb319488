package dev.flyball.producer;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import java.util.List;

/** How one poll of one source ended. */
public sealed interface PollReport {

  /** {@code tenant/source}. */
  String source();

  /**
   * The source was read and what changed is published: committed together with the cursor.
   *
   * @param poll the poll's id, as in its events
   * @param lines lines (or tracker records) read, unreadable ones included, blank ones not
   * @param items distinct keys among them
   * @param duplicates readable lines held back because they were published before
   * @param invalid lines that could not be read; each is in dead-letters once
   * @param published snapshots published, in order; {@code changed} is their number
   */
  record Finished(
      String source,
      String poll,
      int lines,
      int items,
      int duplicates,
      List<InvalidLine> invalid,
      List<Published> published)
      implements PollReport {
    public Finished {
      invalid = List.copyOf(invalid);
      published = List.copyOf(published);
    }

    /** How many snapshots were published. */
    public int changed() {
      return published.size();
    }
  }

  /** Refused: {@code already in progress}, or another producer holds the source's poll lease. */
  record Skipped(String source, String reason) implements PollReport {}

  /** Nothing was published and the cursor stands where it stood. */
  record Failed(String source, String reason) implements PollReport {}

  /**
   * One line that could not be read.
   *
   * @param file where it stands
   * @param line counted from 1
   * @param reason one line for a person
   */
  record InvalidLine(String file, long line, String reason) {}

  /**
   * One published snapshot.
   *
   * @param newest whether it is its item's newest; the others end superseded
   */
  record Published(ItemKey key, String revision, Fingerprint fingerprint, boolean newest) {}
}
