package dev.flyball.triage.classify;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * The questions that were read and are not answered yet, in the order of their topic. It decides
 * which of them one call answers. Used only by the classifier's thread.
 */
final class QuestionQueue implements Iterable<ConsumerRecord<String, byte[]>> {
  /** Questions that are read ahead of the calls that answer them. */
  static final int MOST_WAITING = 1_000;

  private static final long MOST_WAITING_BYTES = 8 << 20;

  private static final Duration LONGEST_POLL = Duration.ofMillis(500);

  private final Deque<ConsumerRecord<String, byte[]>> waiting = new ArrayDeque<>();
  private final long mostBytes;
  private long doneUpTo = -1;

  /**
   * An empty queue.
   *
   * @param mostBytes most bytes of a batch; a larger question is a batch of one
   */
  QuestionQueue(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Adds what was read, without questions that were answered before. */
  void add(ConsumerRecords<String, byte[]> records) {
    for (ConsumerRecord<String, byte[]> record : records) {
      if (record.offset() > doneUpTo) {
        add(record);
      }
    }
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
    add(consumer.poll(Duration.ofNanos(Math.min(nanos, LONGEST_POLL.toNanos()))));
  }

  private boolean room() {
    return waiting.size() < MOST_WAITING && bytes() < MOST_WAITING_BYTES;
  }

  /** Adds one record. */
  void add(ConsumerRecord<String, byte[]> record) {
    waiting.add(record);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Whether a batch of at most so many questions need not wait for further ones. */
  boolean full(int most) {
    return waiting.size() >= most || bytes() >= mostBytes;
  }

  ConsumerRecord<String, byte[]> first() {
    return waiting.getFirst();
  }

  @Override
  public Iterator<ConsumerRecord<String, byte[]>> iterator() {
    return waiting.iterator();
  }

  /** Takes the next batch, of at most so many questions up to an offset. */
  List<ConsumerRecord<String, byte[]>> take(int most, long last) {
    var taken = new ArrayList<ConsumerRecord<String, byte[]>>();
    long bytes = 0;
    while (taken.size() < most && !waiting.isEmpty() && waiting.getFirst().offset() <= last) {
      bytes += size(waiting.getFirst());
      if (!taken.isEmpty() && bytes > mostBytes) {
        break;
      }
      taken.add(waiting.removeFirst());
    }
    return taken;
  }

  /** Puts questions back in front: they were not answered. */
  void putBack(List<ConsumerRecord<String, byte[]>> records) {
    records.reversed().forEach(waiting::addFirst);
  }

  /** Forgets the questions up to an offset: they are answered. */
  void done(long last) {
    doneUpTo = last;
    waiting.removeIf(record -> record.offset() <= last);
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
    return waiting.stream().mapToLong(QuestionQueue::size).sum();
  }

  /** The size of a question's value, which is little above that of its part of the prompt. */
  private static long size(ConsumerRecord<String, byte[]> record) {
    return record.value() == null ? 0 : record.value().length;
  }
}
