package dev.flyball.runner.ledger;

import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Step;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What other threads pass to the participant, in order of arrival. Any thread adds; only the
 * ledger's thread takes.
 */
final class Inbox {
  private final ConcurrentLinkedQueue<Function<Participant, List<Step>>> news =
      new ConcurrentLinkedQueue<>();
  private boolean failedOnce;

  void add(Function<Participant, List<Step>> what) {
    news.add(what);
  }

  /**
   * Passes everything to the participant, and the resulting steps to {@code perform}. An input that
   * fails is passed once more by the next call, because a lost release would hold its permit. An
   * input that fails twice is dropped, so that it cannot keep the rest back.
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
