package dev.flyball.triage.classify;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.triage.classify.Classifier.Question;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads questions, and holds those that are not answered yet, in the order of their topic. It
 * decides which of them one call answers. Used only by the classifier's thread.
 */
final class QuestionQueue implements Iterable<QuestionQueue.Asked> {
  /** Questions that are read ahead of the calls that answer them. */
  static final int MOST_WAITING = 1_000;

  private static final long MOST_WAITING_BYTES = 8 << 20;

  private static final Duration LONGEST_POLL = Duration.ofMillis(500);

  /**
   * Longest id that a verdict repeats, in characters; those that Flyball writes are shorter. A
   * verdict that the broker rejects would stop every question behind it.
   */
  private static final int MOST_WORD = 128;

  private final Deque<Asked> waiting = new ArrayDeque<>();
  private final long mostBytes;
  private final BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable;
  private long doneUpTo = -1;

  /** The offset after the newest record that was read. */
  private long readTo;

  /**
   * A question with the offset of its record.
   *
   * @param bytes the size of its value, which is little above that of its part of the prompt
   */
  record Asked(long offset, int bytes, Question question) {}

  /**
   * An empty queue.
   *
   * @param mostBytes most bytes of a batch; a larger question is a batch of one
   * @param unreadable takes each record that is no question, and why
   */
  QuestionQueue(long mostBytes, BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable) {
    this.mostBytes = mostBytes;
    this.unreadable = unreadable;
  }

  /**
   * Remains a member of the consumer's group, and reads on if there is room. It decides each time,
   * because a new assignment is not paused.
   *
   * @param nanos how long to wait at most; not longer than half a second
   */
  void poll(Consumer<String, byte[]> consumer, long nanos) {
    if (room()) {
      consumer.resume(consumer.assignment());
    } else {
      consumer.pause(consumer.assignment());
    }
    for (ConsumerRecord<String, byte[]> record :
        consumer.poll(Duration.ofNanos(Math.min(nanos, LONGEST_POLL.toNanos())))) {
      readTo = record.offset() + 1;
      try {
        add(read(record));
      } catch (RuntimeException e) {
        unreadable.accept(record, String.valueOf(e.getMessage()));
      }
    }
  }

  /** Reads a record of triage-requests, and refuses what no verdict could repeat. */
  private static Asked read(ConsumerRecord<String, byte[]> record) {
    if (record.key() == null || record.value() == null) {
      throw new UnreadableRecord("the key or the value is missing");
    }
    TriageRequest request = RecordJson.read(record.value(), TriageRequest.class);
    if (request.triage() == null || request.snapshot() == null) {
      throw new UnreadableRecord("property triage or snapshot is missing");
    }
    if (request.triage().length() > MOST_WORD) {
      throw new UnreadableRecord("property triage is longer than " + MOST_WORD + " characters");
    }
    ItemKey item = ItemKey.parse(record.key());
    return new Asked(
        record.offset(),
        record.value().length,
        new Question(request.triage(), item, request.snapshot()));
  }

  private boolean room() {
    return waiting.size() < MOST_WAITING && bytes() < MOST_WAITING_BYTES;
  }

  /** Adds a question, unless it was answered before. */
  void add(Asked question) {
    if (question.offset() > doneUpTo) {
      waiting.add(question);
    }
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Whether a batch of at most so many questions need not wait for further ones. */
  boolean full(int most) {
    return waiting.size() >= most || bytes() >= mostBytes;
  }

  Asked first() {
    return waiting.getFirst();
  }

  /** The offset of the first question, or of what is read next. */
  long next() {
    return waiting.isEmpty() ? readTo : first().offset();
  }

  @Override
  public Iterator<Asked> iterator() {
    return waiting.iterator();
  }

  /** Takes the next batch, of at most so many questions up to an offset. */
  List<Asked> take(int most, long last) {
    var taken = new ArrayList<Asked>();
    long bytes = 0;
    while (taken.size() < most && !waiting.isEmpty() && waiting.getFirst().offset() <= last) {
      bytes += waiting.getFirst().bytes();
      if (!taken.isEmpty() && bytes > mostBytes) {
        break;
      }
      taken.add(waiting.removeFirst());
    }
    return taken;
  }

  /** Puts questions back in front: they were not answered. */
  void putBack(List<Asked> questions) {
    questions.reversed().forEach(waiting::addFirst);
  }

  /** Forgets the questions up to an offset: they are answered. */
  void done(long last) {
    doneUpTo = last;
    waiting.removeIf(each -> each.offset() <= last);
  }

  /** Forgets every question: another member may answer them now. */
  void clear() {
    waiting.clear();
  }

  /** Begins with a new assignment, which is read from the committed offset. */
  void assigned() {
    doneUpTo = -1;
  }

  private long bytes() {
    return waiting.stream().mapToLong(Asked::bytes).sum();
  }
}
