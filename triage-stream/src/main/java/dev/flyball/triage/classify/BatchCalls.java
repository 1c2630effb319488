package dev.flyball.triage.classify;

import dev.flyball.contract.text.OneLine;
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

  private static final int LONGEST_REASON = 300;

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
    List<String> tenants = batch.stream().map(each -> each.question().item().tenant()).toList();
    String id =
        journal.asked(new CallJournal.Range(topicId, first, last, tenants), clock.instant());
    List<Question> questions = batch.stream().map(Asked::question).toList();
    Answer answer;
    try {
      answer = ask(questions, id);
    } catch (ModelFailure e) {
      // After an interrupt the row stays: nothing knows what that call cost.
      journal.failed(id);
      throw e;
    }
    List<CallJournal.Entry> entries = entries(batch, answer, classifier, id);
    journal.answered(id, entries, clock.instant());
    return new CallJournal.Answered(id, last, entries);
  }

  /** One verdict for each question, with its share of the tokens; in the order of the batch. */
  static List<CallJournal.Entry> entries(
      List<Asked> batch, Answer answer, Classifier by, String id) {
    List<Question> questions = batch.stream().map(Asked::question).toList();
    List<Verdict> verdicts = CheckedAnswer.verdicts(questions, answer, by, id);
    var entries = new ArrayList<CallJournal.Entry>();
    int asked = batch.size() - answer.unasked().size();
    int at = 0;
    for (int i = 0; i < batch.size(); i++) {
      Question question = questions.get(i);
      boolean left = answer.unasked().containsKey(question.id());
      entries.add(
          new CallJournal.Entry(
              question.item().toString(),
              batch.get(i).traceparent(),
              verdicts.get(i),
              left ? 0 : CheckedAnswer.share(answer.tokens(), at++, asked)));
    }
    return entries;
  }

  /** The calls that a crash cut off, each of which may have been paid. */
  List<CallJournal.Lost> lost() {
    return journal.lost();
  }

  /** What a lost call cost is in the ledger. */
  void booked(CallJournal.Lost call) {
    journal.booked(call);
  }

  /** What a lost call is booked with, in micro-dollars. */
  long unknownMicros() {
    return classifier.unknownMicros();
  }

  void published(CallJournal.Answered batch) {
    journal.published(batch.id());
  }

  private Answer ask(List<Question> questions, String id) throws ModelFailure {
    onCall.run();
    try {
      return classifier.classify(questions);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the classifier was asked", e);
    } catch (ModelFailure e) {
      throw e;
    } catch (Exception e) {
      // Rules would hide the fault, and could let a whole backlog through.
      LOG.warn("classifier failed, its batch waits: batchId={}", id, e);
      throw new ModelFailure(
          ModelFailure.Kind.UNAVAILABLE,
          "it failed unexpectedly: " + OneLine.of(e, LONGEST_REASON),
          null,
          null);
    }
  }
}
