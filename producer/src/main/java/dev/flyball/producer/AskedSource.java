package dev.flyball.producer;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.PollResult;
import dev.flyball.producer.source.Revisited;
import dev.flyball.producer.source.Source;
import dev.flyball.producer.source.SourceConfig;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A tracker whose cursors belong to what is asked of it. Somebody who changes the query wants what
 * the new one finds, also what changed long ago: a cursor of another question is none, and the
 * source is read from its beginning. What was published of it already is held back as ever.
 */
final class AskedSource implements Source {
  private static final char END = '/';
  private static final int LENGTH = 12;

  private final Source source;
  private final String mark;

  /**
   * A source behind its question.
   *
   * @param asked what decides which items are found; not the token, nor how they are read
   */
  AskedSource(Source source, List<String> asked) {
    this.source = source;
    var parts = new TreeMap<String, String>();
    for (int i = 0; i < asked.size(); i++) {
      parts.put("asked" + i, asked.get(i));
    }
    this.mark = Fingerprint.of(parts).hash().substring(0, LENGTH) + END;
  }

  /** What a configuration asks, empty if its cursors know that themselves. */
  static List<String> asked(SourceConfig config) {
    return switch (config) {
      case SourceConfig.Jsonl _ -> List.of();
      case SourceConfig.AzureDevOps azure -> List.of(azure.url().toString(), azure.query());
      case SourceConfig.AzureDevOpsCli azure -> List.of(String.valueOf(azure.url()), azure.query());
      case SourceConfig.GitHub github -> List.of(github.url().toString(), github.repository());
      case SourceConfig.Jira jira -> List.of(jira.url().toString(), jira.query());
      case SourceConfig.Redmine redmine ->
          List.of(redmine.url().toString(), String.valueOf(redmine.project()), redmine.query());
    };
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    return switch (source.poll(own(cursor).orElse(null), leave)) {
      case PollResult.Failed failed -> failed;
      case PollResult.Read read ->
          new PollResult.Read(
              read.items(),
              read.invalid(),
              read.lines(),
              mark + read.cursor(),
              read.requests(),
              read.retryAfter());
    };
  }

  @Override
  public boolean unchangedSince(String cursor) {
    return own(cursor).filter(source::unchangedSince).isPresent();
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return own(cursor).flatMap(source::horizon);
  }

  @Override
  public int revisitBatch() {
    return source.revisitBatch();
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, Leave leave) {
    return source.revisit(keys, leave);
  }

  /** The source's own cursor, empty if it answered another question. */
  private Optional<String> own(@Nullable String cursor) {
    return cursor != null && cursor.startsWith(mark)
        ? Optional.of(cursor.substring(mark.length()))
        : Optional.empty();
  }
}
