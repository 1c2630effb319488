package dev.flyball.runner.ledger;

import dev.flyball.runner.lease.Participant;
import dev.flyball.runner.lease.Step;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What other threads have for the participant, in the order in which it came. Any thread adds, the
 * ledger's thread alone takes.
 */
final class Inbox {
  private final ConcurrentLinkedQueue<Function<Participant, List<Step>>> news =
      new ConcurrentLinkedQueue<>();
  private boolean failedOnce;

  void add(Function<Participant, List<Step>> what) {
    news.add(what);
  }

  /**
   * Gives everything to the participant and its steps to {@code perform}. What fails is given once
   * more by the next call: a release that is lost would hold its permit. What fails twice is
   * dropped, so that it cannot keep the rest back.
   */
  void empty(Participant participant, Consumer<List<Step>> perform) {
    for (var what = news.peek(); what != null; what = news.peek()) {
      try {
        perform.accept(what.apply(participant));
      } catch (RuntimeException | Error e) {
        if (failedOnce) {
          news.remove();
        }
        failedOnce = !failedOnce;
        throw e;
      }
      news.remove();
      failedOnce = false;
    }
  }
}
