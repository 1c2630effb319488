package dev.flyball.ops.console.operate;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.operate.DeadLetterReader.Letter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * Which dead letters a command acts on, a page of them. Requeue takes of each item the newest that
 * holds a readable snapshot from work-items; redeliver takes of each item the newest analysis.
 * Lines of a file are not among them, because the next poll reads them again. Records of runners
 * and of the classifier apply only to the time at which they were written.
 *
 * @param <T> what a dead letter holds
 */
public final class DeadLetterSelection<T> {
  private final String topic;
  private final String other;
  private final Set<String> wanted;
  private final Page page;
  private final Function<DeadLetter, T> content;
  private final BinaryOperator<T> newer;
  private final Map<String, Selected<T>> selected = new LinkedHashMap<>();
  private final SortedMap<String, String> stay = new TreeMap<>();
  private final Set<String> unreadable = new HashSet<>();
  private boolean more;

  /** What one dead letter of an item holds. */
  public record Selected<T>(ItemKey item, T content) {}

  /**
   * Which part of the items is selected.
   *
   * @param most items that are selected
   * @param before keys of the items of earlier pages, which are not selected again
   */
  public record Page(int most, Set<String> before) {}

  /**
   * What became of the items of all pages.
   *
   * @param results of the commands that were sent, in their order
   * @param stay keys with dead letters that the command cannot act on, with the reason
   * @param leftOut how many of them it should have acted on but cannot read, and 1 for an unknown
   *     number of items if Kafka took the commands of a page only in part: the pages end there
   */
  public record Outcome(
      List<CommandResult> results, SortedMap<String, String> stay, long leftOut) {}

  /** A snapshot to requeue, and where its record stood in work-items. */
  public record Back(Snapshot snapshot, Position from) {}

  private DeadLetterSelection(
      String topic,
      String other,
      Collection<String> wanted,
      Page page,
      Function<DeadLetter, T> content,
      BinaryOperator<T> newer) {
    this.topic = topic;
    this.other = other;
    this.wanted = Set.copyOf(wanted);
    this.page = page;
    this.content = content;
    this.newer = newer;
  }

  /**
   * The newest snapshot of each item.
   *
   * @param wanted only dead letters with one of these keys, or, where it is no whole key, with such
   *     an id at their end; empty for all
   */
  public static DeadLetterSelection<Back> snapshots(
      Topics topics, Collection<String> wanted, Page page) {
    return new DeadLetterSelection<>(
        topics.workItems(),
        "only records of work-items can be requeued",
        wanted,
        page,
        letter ->
            new Back(
                RecordJson.read(text(letter), Snapshot.class),
                new Position(letter.partition(), letter.offset())),
        (old, read) -> read);
  }

  /**
   * The newest analysis of each item among those whose delivery was given up: an older one would
   * replace it.
   *
   * @param wanted as for snapshots
   */
  public static DeadLetterSelection<Analysis> analyses(
      Topics topics, Collection<String> wanted, Page page) {
    return new DeadLetterSelection<>(
        topics.analyses(),
        "only analyses can be delivered again",
        wanted,
        page,
        letter -> RecordJson.read(text(letter), Analysis.class),
        (old, read) -> read.at().isBefore(old.at()) ? old : read);
  }

  private static String text(DeadLetter letter) {
    String value = letter.value() == null ? "" : letter.value();
    if (value.length() == DeadLetter.MAX_VALUE) {
      throw new UnreadableRecord("it is longer than a dead letter keeps");
    }
    return value;
  }

  /** Takes up one dead letter, if the command acts on it. */
  public void read(Letter each) {
    String key = each.key();
    if (key == null || !isWanted(key) || page.before().contains(key)) {
      return;
    }
    DeadLetter letter = each.letter();
    if (!letter.topic().equals(topic)) {
      stay.put(key, "a record of " + letter.topic() + "; " + other);
      return;
    }
    try {
      ItemKey item = ItemKey.parse(key);
      T found = content.apply(letter);
      if (selected.size() < page.most() || selected.containsKey(key)) {
        selected.merge(
            key,
            new Selected<>(item, found),
            (old, read) -> new Selected<>(item, newer.apply(old.content(), read.content())));
      } else {
        more = true;
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      stay.put(key, "its value cannot be read: " + e.getMessage());
      unreadable.add(key);
    }
  }

  private boolean isWanted(String key) {
    return wanted.isEmpty()
        || wanted.stream()
            .anyMatch(each -> key.equals(each) || (!isKey(each) && key.endsWith("/" + each)));
  }

  /**
   * Whether a name is a whole key. It names that item only: an id may contain slashes, so the key
   * of another tenant's item may end with it.
   */
  private static boolean isKey(String name) {
    try {
      ItemKey.parse(name);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** What the command acts on. */
  List<Selected<T>> selected() {
    return new ArrayList<>(selected.values());
  }

  /** The dead letters that the command cannot act on, with the reason. */
  SortedMap<String, String> stay() {
    stay.keySet().removeAll(selected.keySet());
    return stay;
  }

  /**
   * Acts on all dead letters, page by page, until none is left. Each page reads them again, because
   * a month of them may be more than fits into memory.
   *
   * @param most items of a page
   * @param read reads all dead letters into the selection of a page
   * @param command makes the command on what a dead letter holds
   * @param order sends the commands of a page
   * @param progress takes the number of commands sent so far, after each page but the last
   */
  public static <T> Outcome all(
      int most,
      Function<Page, DeadLetterSelection<T>> read,
      Function<T, Command> command,
      Function<Map<Command, String>, List<CommandResult>> order,
      IntConsumer progress) {
    var before = new HashSet<String>();
    var results = new ArrayList<CommandResult>();
    while (true) {
      DeadLetterSelection<T> page = read.apply(new Page(most, Set.copyOf(before)));
      var commands = new LinkedHashMap<Command, String>();
      page.selected
          .values()
          .forEach(each -> commands.put(command.apply(each.content()), each.item().toString()));
      List<CommandResult> answers = commands.isEmpty() ? List.of() : order.apply(commands);
      results.addAll(answers);
      before.addAll(page.selected.keySet());
      boolean stopped = page.more && !answers.stream().allMatch(CommandResult::acknowledged);
      if (!page.more || stopped) {
        page.unreadable.retainAll(page.stay().keySet());
        return new Outcome(results, page.stay(), page.unreadable.size() + (stopped ? 1 : 0));
      }
      progress.accept(results.size());
    }
  }
}
