package dev.flyball.triage.classify;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges a batch by one question to a model. An answer that lacks some of the items is asked for
 * again once, for the missing items alone. What is missing after that is left to the caller's
 * rules: a batch costs two calls at most. A call without any usable verdict is a failure, for the
 * caller to wait or to search its cause; it has the cost of every call of the batch.
 */
public final class ModelClassifier {
  /** Most calls for one batch. */
  public static final int MOST_CALLS = 2;

  private static final Logger LOG = LoggerFactory.getLogger(ModelClassifier.class);

  private static final int LONGEST_REASON = 300;

  private final ModelCall call;
  private final PromptTemplate template;
  private final long unknownMicros;
  private final int mostOfItem;
  private final Supplier<String> ids;

  /**
   * Creates a classifier.
   *
   * @param template of {@link BatchPrompt#VARIABLES}
   * @param unknownMicros what a call is booked with when its cost is unknown, answered or not: a
   *     model that is always ended before it reports its cost would otherwise be asked for ever
   *     without any budget noticing
   * @param mostOfItem most characters of an item's text that are shown to the model
   * @param ids makes an id that no text of an item can contain, other for each call
   */
  public ModelClassifier(
      ModelCall call,
      PromptTemplate template,
      long unknownMicros,
      int mostOfItem,
      Supplier<String> ids) {
    this.call = call;
    this.template = template;
    this.unknownMicros = unknownMicros;
    this.mostOfItem = mostOfItem;
    this.ids = ids;
  }

  String model() {
    return call.model();
  }

  String prompt() {
    return template.version();
  }

  /**
   * Judges the whole batch.
   *
   * @param most most calls, 1 to {@link #MOST_CALLS}; what is missing after them is left to the
   *     caller's rules
   * @throws ModelFailure if there is no answer at all
   */
  public Answer classify(List<Question> batch, int most) throws ModelFailure, InterruptedException {
    Answer first = asked(batch);
    if (first.judgements().isEmpty()) {
      throw new ModelFailure(
          ModelFailure.Kind.BAD_BATCH,
          "the model's answer has no usable verdict",
          null,
          first.costMicros(),
          first.tokens());
    }
    List<Question> missing =
        batch.stream()
            .filter(each -> first.judgements().stream().noneMatch(j -> j.id().equals(each.id())))
            .toList();
    return missing.isEmpty() || most < MOST_CALLS ? first : and(first, missing);
  }

  private Answer and(Answer before, List<Question> missing)
      throws ModelFailure, InterruptedException {
    Answer more;
    try {
      more = asked(missing);
    } catch (ModelFailure failure) {
      long cost = before.costMicros() + cost(failure.costMicros());
      long tokens = before.tokens() + failure.tokens();
      if (failure.kind() == ModelFailure.Kind.BAD_BATCH
          || failure.kind() == ModelFailure.Kind.SLOW) {
        return new Answer(before.judgements(), cost, tokens);
      }
      throw failure.costing(cost, tokens);
    }
    var all = new ArrayList<>(before.judgements());
    all.addAll(more.judgements());
    return new Answer(
        all, before.costMicros() + more.costMicros(), before.tokens() + more.tokens());
  }

  private Answer asked(List<Question> batch) throws ModelFailure, InterruptedException {
    try {
      var prompt = BatchPrompt.of(template, batch, mostOfItem, ids);
      Reply reply = call.ask(prompt.text(), BatchPrompt.SCHEMA);
      return new Answer(prompt.judgements(reply.text()), cost(reply.costMicros()), reply.tokens());
    } catch (ModelFailure failure) {
      throw failure.costing(cost(failure.costMicros()), failure.tokens());
    } catch (RuntimeException e) {
      // A fault of this program: the model may have been paid before it.
      LOG.warn("model call failed: model={}", model(), e);
      throw new ModelFailure(
          ModelFailure.Kind.UNCLEAR,
          "the call failed unexpectedly: " + OneLine.of(e, LONGEST_REASON),
          null,
          unknownMicros);
    }
  }

  private long cost(@Nullable Long micros) {
    return micros == null ? unknownMicros : micros;
  }
}
