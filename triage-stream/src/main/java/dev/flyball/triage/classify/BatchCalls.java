package dev.flyball.triage.classify;

import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one batch from questions to journaled verdicts: once answered it is never asked again,
 * whatever crashes afterwards.
 */
final class BatchCalls {
  private static final Logger LOG = LoggerFactory.getLogger(BatchCalls.class);

  private final Classifier classifier;
  private final CallJournal journal;
  private final String topicId;
  private final InstantSource clock;
  private final Runnable onCall;

  BatchCalls(
      Classifier classifier,
      CallJournal journal,
      String topicId,
      InstantSource clock,
      Runnable onCall) {
    this.classifier = classifier;
    this.journal = journal;
    this.topicId = topicId;
    this.clock = clock;
    this.onCall = onCall;
  }

  /** A question with the offset of its record. */
  record Asked(long offset, @Nullable String traceparent, Question question) {}

  /**
   * The journaled answer of the batch that begins at this offset: to be published again, not to be
   * asked again.
   */
  Optional<CallJournal.Answered> known(long first) {
    return journal.answeredAt(topicId, first);
  }

  /**
   * Calls the classifier once and journals its answer.
   *
   * @throws ModelFailure if the model does not answer: the batch must be asked again, because
   *     judged by rules its items could all get a session
   */
  CallJournal.Answered call(List<Asked> batch, long first, long last) throws ModelFailure {
    String id =
        journal.asked(new CallJournal.Range(topicId, first, last, batch.size()), clock.instant());
    List<Question> questions = batch.stream().map(Asked::question).toList();
    List<Verdict> verdicts = ask(questions, id);
    var entries = new ArrayList<CallJournal.Entry>();
    for (int i = 0; i < batch.size(); i++) {
      Asked asked = batch.get(i);
      entries.add(
          new CallJournal.Entry(
              asked.question().item().toString(), asked.traceparent(), verdicts.get(i)));
    }
    journal.answered(id, entries, clock.instant());
    return new CallJournal.Answered(id, last, entries);
  }

  void published(CallJournal.Answered batch) {
    journal.published(batch.id());
  }

  private List<Verdict> ask(List<Question> questions, String id) throws ModelFailure {
    onCall.run();
    try {
      Answer answer = classifier.classify(questions);
      return CheckedAnswer.verdicts(questions, answer, classifier.model(), id);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the classifier was asked", e);
    } catch (ModelFailure e) {
      throw e;
    } catch (Exception e) {
      LOG.warn("classifier failed, judged by rules: batchId={} reason={}", id, e.toString());
      return CheckedAnswer.byRules(questions, "the classifier failed", id);
    }
  }
}
