package dev.flyball.runner.events;

import dev.flyball.kafka.DeadLetterPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes dead letters on a thread of its own: a producer's send() blocks for a minute while no
 * broker answers, and the ledger's thread, which finds the unreadable records, has leases to renew.
 */
public final class LetterBox implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LetterBox.class);
  private static final int ROOM = 10_000;

  private final DeadLetterPublisher publisher;
  private final Path file;
  private final Set<String> written;
  private final LinkedBlockingQueue<Letter> letters = new LinkedBlockingQueue<>(ROOM);
  private final Thread thread;

  private record Letter(ConsumerRecord<String, byte[]> consumed, String reason) {}

  /**
   * A box that is emptied through this publisher.
   *
   * @param file remembers which records have their letter: session-requests is read from its
   *     beginning at every start
   */
  public LetterBox(DeadLetterPublisher publisher, Path file) {
    this.publisher = publisher;
    this.file = file;
    this.written = remembered(file);
    this.thread = Thread.ofPlatform().daemon().name("flyball-letters").start(this::empty);
  }

  /**
   * Takes a letter and returns at once. A record that has one already gets no other; one for which
   * there is no room is logged.
   */
  public void post(ConsumerRecord<String, byte[]> consumed, String reason) {
    if (!written.contains(place(consumed)) && !letters.offer(new Letter(consumed, reason))) {
      log.warn(
          "no room for a dead letter: {}-{} offset {}: {}",
          consumed.topic(),
          consumed.partition(),
          consumed.offset(),
          reason);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void empty() {
    try {
      while (true) {
        send(letters.take());
      }
    } catch (InterruptedException e) {
      log.debug("letter box closed with {} letters in it", letters.size());
    }
  }

  private void send(Letter letter) throws InterruptedException {
    try {
      var _ = publisher.publish(letter.consumed(), letter.reason()).get();
      remember(place(letter.consumed()));
    } catch (ExecutionException | RuntimeException | Error e) {
      // Errors too: with this thread every later letter would be lost silently.
      ConsumerRecord<String, byte[]> consumed = letter.consumed();
      log.warn(
          "dead letter not written: {}-{} offset {}: {}",
          consumed.topic(),
          consumed.partition(),
          consumed.offset(),
          e.toString());
    }
  }

  private void remember(String place) {
    if (!written.add(place)) {
      return;
    }
    try {
      Files.writeString(file, place + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      log.warn("{} is not written, the next start repeats a dead letter: {}", file, e.toString());
    }
  }

  private static Set<String> remembered(Path file) {
    Set<String> places = ConcurrentHashMap.newKeySet();
    try {
      if (Files.exists(file)) {
        places.addAll(Files.readAllLines(file));
      }
    } catch (IOException e) {
      log.warn("{} cannot be read, dead letters may be repeated: {}", file, e.toString());
    }
    return places;
  }

  /** With its time, since a topic that is made again begins at offset 0. */
  private static String place(ConsumerRecord<String, byte[]> consumed) {
    return consumed.topic()
        + " "
        + consumed.partition()
        + " "
        + consumed.offset()
        + " "
        + consumed.timestamp();
  }
}
