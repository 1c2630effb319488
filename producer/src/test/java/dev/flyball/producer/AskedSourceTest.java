package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.PollResult;
import dev.flyball.producer.source.Source;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-51: a cursor belongs to what was asked")
final class AskedSourceTest {
  private final Tracker tracker = new Tracker();

  @Test
  void theSameQuestionGoesOnWhereItWas() {
    String cursor = read(asking("a"), null);
    String next = read(asking("a"), cursor);

    assertThat(tracker.cursors).containsExactly(null, "c1");
    assertThat(next).isNotEqualTo(cursor).doesNotContainAnyWhitespaces();
  }

  @Test
  void anotherQuestionIsAskedFromTheBeginning() {
    String cursor = read(asking("a"), null);
    String next = read(asking("b"), cursor);

    assertThat(tracker.cursors).containsExactly(null, null);
    assertThat(asking("b").unchangedSince(cursor)).isFalse();
    assertThat(asking("b").horizon(cursor)).isEmpty();
    assertThat(asking("b").unchangedSince(next)).isTrue();
    assertThat(asking("b").horizon(next)).contains(Instant.EPOCH);
  }

  @Test
  void anAnswerWithoutNewsKeepsItsCursor() {
    String cursor = read(asking("a"), null);
    tracker.quiet = true;

    assertThat(read(asking("a"), cursor)).isEqualTo(cursor);
  }

  private Source asking(String query) {
    return new AskedSource(tracker, List.of("https://tracker.example", query));
  }

  private static String read(Source source, @Nullable String cursor) {
    return ((PollResult.Read) source.poll(cursor, Leave.GRANTED)).cursor();
  }

  private static final class Tracker implements Source {
    private final List<@Nullable String> cursors = new ArrayList<>();
    private boolean quiet;

    @Override
    public PollResult poll(@Nullable String cursor, Leave leave) {
      cursors.add(cursor);
      String next = quiet && cursor != null ? cursor : "c" + cursors.size();
      return new PollResult.Read(List.of(), List.of(), 0, next, 1, Duration.ZERO);
    }

    @Override
    public boolean unchangedSince(String cursor) {
      return cursor.equals("c1") || cursor.equals("c2");
    }

    @Override
    public Optional<Instant> horizon(String cursor) {
      return Optional.of(Instant.EPOCH);
    }
  }
}
