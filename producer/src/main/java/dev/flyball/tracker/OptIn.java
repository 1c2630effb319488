package dev.flyball.tracker;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.item.Exclusion;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which items of a source are taken. The others are recorded as known and skipped. An item must
 * meet every condition that is configured.
 *
 * @param start how old the newest change of an item may be
 * @param labels the item must have one of these; empty for none
 * @param assignee the item must be assigned to this person; null for none
 * @param mention the title or the description must contain this; comments do not count; null for
 *     none
 */
public record OptIn(
    @ConfigKey(
            name = "start",
            meaning =
                "Which items that were last changed before the source's first poll are taken: none"
                    + " (`now`), `all`, or those changed at this time or later. By default `now`,"
                    + " for jsonl `all`. The others are skipped with reason `before start`; `retry`"
                    + " takes one")
        Start start,
    @ConfigKey(
            name = "when.labels",
            meaning =
                "Take only items with one of these labels (Azure DevOps: tags, Redmine: the"
                    + " category; GitHub's emoji by their short codes, `:beginner:`). Others are"
                    + " skipped until they meet every `when`")
        List<String> labels,
    @ConfigKey(
            name = "when.assignee",
            meaning =
                "Take only items assigned to this person, by login, name or address as the tracker"
                    + " writes it; not jsonl")
        @Nullable String assignee,
    @ConfigKey(
            name = "when.mention",
            meaning =
                "Take only items whose title or description contains this, for example `@flyball`")
        @Nullable String mention) {

  /** Every item is taken. */
  public static final OptIn ALL = new OptIn(new Start.All(), List.of(), null, null);

  public OptIn {
    labels = List.copyOf(labels);
  }

  /** Which items are taken that were last changed before the source was polled first. */
  public sealed interface Start {
    /** What a person may write. */
    String ALLOWED = "now, all, or a date or time, for example 2026-11-01 or 2026-11-01T08:00:00Z";

    /**
     * Reads {@code now}, {@code all}, a time with its offset, or the beginning of a day in UTC.
     *
     * @throws DateTimeException for anything else
     */
    static Start parse(String text) {
      return switch (text.strip()) {
        case "now" -> new Now();
        case "all" -> new All();
        case String time when time.contains("T") -> new At(OffsetDateTime.parse(time).toInstant());
        case String day -> new At(LocalDate.parse(day).atStartOfDay(ZoneOffset.UTC).toInstant());
      };
    }

    /** None of them. */
    record Now() implements Start {}

    /** All of them. */
    record All() implements Start {}

    /** Those last changed at this time or later. */
    record At(Instant time) implements Start {}
  }

  /**
   * Why an item is not taken; null if it is.
   *
   * @param text its clean title and description
   * @param firstPoll when the source was polled first; null if that is not known, and then {@code
   *     start: now} excludes nothing
   */
  public @Nullable Exclusion exclusionOf(RawItem item, String text, @Nullable Instant firstPoll) {
    Instant from =
        switch (start) {
          case Start.Now now -> firstPoll;
          case Start.All all -> null;
          case Start.At at -> at.time();
        };
    boolean before = from != null && item.changedAt() != null && item.changedAt().isBefore(from);
    String missing = missing(item, text);
    return before || missing != null ? new Exclusion(before, missing) : null;
  }

  private @Nullable String missing(RawItem item, String text) {
    var missing = new ArrayList<String>();
    if (!labels.isEmpty() && labels.stream().noneMatch(label -> has(item.tags(), label))) {
      missing.add("label " + String.join(" or ", labels));
    }
    if (assignee != null && (item.assignees() == null || !has(item.assignees(), assignee))) {
      missing.add("assignee " + assignee);
    }
    if (mention != null && !mentions(item, text, mention)) {
      missing.add("mention " + mention);
    }
    return missing.isEmpty() ? null : String.join(" and ", missing);
  }

  private static boolean has(List<String> names, String wanted) {
    return names.stream().anyMatch(name -> name.strip().equalsIgnoreCase(wanted));
  }

  /**
   * Whether the words are in the text, and not only as a part of longer ones. After {@code @} a
   * name of ASCII letters ends at any other letter, because Chinese and Korean put no blank behind
   * it, and goes on after a slash or a dot, as that of a package does. Where bots name a person
   * without calling them they write an invisible character behind the {@code @}; cleaning has
   * removed it, so such places are counted in what the tracker wrote.
   */
  private static boolean mentions(RawItem item, String text, String words) {
    if (!words.startsWith("@")) {
      return count("(?<![\\p{L}\\p{N}])" + Pattern.quote(words) + "(?![\\p{L}\\p{N}_-])", text) > 0;
    }
    String end = Pattern.quote(words.substring(1)) + "(?![A-Za-z0-9_-]|[/.][A-Za-z0-9])";
    return count("(?<![A-Za-z0-9_])@" + end, text)
        > count("(?<![A-Za-z0-9_])@\\p{Cf}+" + end, item.title() + "\n" + item.description());
  }

  private static long count(String pattern, String text) {
    return Pattern.compile(pattern, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
        .matcher(text)
        .results()
        .count();
  }
}
