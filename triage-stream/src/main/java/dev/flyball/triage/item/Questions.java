package dev.flyball.triage.item;

import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import org.jspecify.annotations.Nullable;

/**
 * How far the questions of one partition have come. The classifier answers them in the order of
 * their numbers. No clock could order them: it may go back, and a millisecond has room for several.
 *
 * @param asked the number of the newest question; 0 if there was none
 * @param answered the highest number of an answered question; 0 if there was none
 */
public record Questions(long asked, long answered) {
  /** Before the first question. */
  public static final Questions NONE = new Questions(0, 0);

  /** The same after a decision on an item of the partition. */
  public Questions after(Item before, Item after) {
    ItemState state = after.state();
    long newest = asked;
    long highest = answered;
    if (phase(state) instanceof ItemPhase.Triaging now) {
      newest = Math.max(newest, now.number());
    } else if (phase(before.state()) instanceof ItemPhase.Triaging was
        && state != null
        && state.verdict() != null
        && state.verdict().triage().equals(was.triage())) {
      highest = Math.max(highest, was.number());
    }
    return new Questions(newest, highest);
  }

  private static @Nullable ItemPhase phase(@Nullable ItemState state) {
    return state == null ? null : state.phase();
  }
}
