package dev.flyball.runner.agent;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a provider that rejects calls said of it.
 *
 * @param epochSecond when it answers again, in seconds since 1970; 0 if only its text may say so
 * @param said its text, for example {@code You've hit your weekly limit, resets Dec 4 at 1am (UTC)}
 * @param ofModel whether only one model is limited, and the provider's others answer
 */
public record Refusal(long epochSecond, String said, boolean ofModel) {
  /** Nothing is known of its end. */
  public static final Refusal UNKNOWN = new Refusal(0, "", false);

  /**
   * How Claude Code ended its text until 2025: {@code Claude AI usage limit reached|1790000000}.
   */
  private static final Pattern EPOCH = Pattern.compile("\\|(\\d{10})(\\d{3})?\\b");

  private static final Pattern ISO =
      Pattern.compile("\\b(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(?:\\.\\d+)?Z");

  /** A time to wait: {@code reset after 7h12m34s}, {@code try again in 3 hours 4 minutes}. */
  private static final Pattern SPAN =
      Pattern.compile(
          "(?:\\b(?:in|after|about)|delay)\\W{1,4}"
              + "((?:\\d+(?:\\.\\d+)?\\s*[a-z]+[,\\s]*(?:and\\s+)?)+)",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern PART =
      Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([a-z]+)", Pattern.CASE_INSENSITIVE);

  /** A time of day, perhaps of a date: {@code resets Dec 4, 2026, 1:30am (Europe/Berlin)}. */
  private static final Pattern CLOCK =
      Pattern.compile(
          "\\b(?:resets?|again|available|until|retry)\\b[^|\\d]{0,20}?(?:\\b([a-z]{3})[a-z]*\\.?"
              + " (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?,?\\s*(?:at )?)?"
              + "(\\d{1,2})(?::(\\d\\d))?\\s*([ap])\\.?m\\b\\.?(?:\\s*\\(?([A-Z]\\w+(?:/\\w+)*)\\)?)?",
          Pattern.CASE_INSENSITIVE);

  /** A time of day that has just passed on this clock is one that is about to come on another. */
  private static final Duration JUST_PASSED = Duration.ofMinutes(10);

  private static final int MONTH_NAME = 3;
  private static final double NO_UNIT = 0;

  /**
   * What it stops.
   *
   * @param provider of the session, perhaps with a family of models: {@code anthropic/opus}
   */
  public String stops(String provider) {
    int slash = provider.indexOf('/');
    return ofModel || slash <= 0 ? provider : provider.substring(0, slash);
  }

  /** When it answers again, in seconds since 1970; 0 if it did not say. */
  public long until(Instant now) {
    if (epochSecond > 0) {
      return epochSecond;
    }
    try {
      return said(now);
    } catch (DateTimeException | ArithmeticException e) {
      // A text of a program may name any time: a 31st of February, a zone that does not exist.
      return 0;
    }
  }

  /** The longer of two that one session met; a limit of one model stays one. */
  Refusal and(Refusal later) {
    boolean model = ofModel || later.ofModel;
    return epochSecond > 0 || later.said.isEmpty()
        ? new Refusal(Math.max(epochSecond, later.epochSecond), said, model)
        : new Refusal(later.epochSecond, later.said, model);
  }

  private long said(Instant now) {
    Matcher epoch = EPOCH.matcher(said);
    if (epoch.find()) {
      return Long.parseLong(epoch.group(1));
    }
    Matcher iso = ISO.matcher(said);
    if (iso.find()) {
      return Instant.parse(iso.group(1) + "Z").getEpochSecond();
    }
    Matcher span = SPAN.matcher(said);
    while (span.find()) {
      double seconds = seconds(span.group(1));
      if (seconds > 0) {
        return now.getEpochSecond() + (long) Math.ceil(seconds);
      }
    }
    Matcher clock = CLOCK.matcher(said);
    return clock.find() ? clock(clock, now) : 0;
  }

  /** The seconds of a time to wait, 0 if it has another unit. */
  private static double seconds(String span) {
    Matcher part = PART.matcher(span);
    double all = 0;
    while (part.find()) {
      double unit = unit(part.group(2).toLowerCase(Locale.ROOT));
      if (unit == NO_UNIT) {
        return 0;
      }
      all += Double.parseDouble(part.group(1)) * unit;
    }
    return all;
  }

  private static double unit(String name) {
    return switch (name) {
      case "ms", "millisecond", "milliseconds" -> 0.001;
      case "s", "sec", "secs", "second", "seconds" -> 1;
      case "m", "min", "mins", "minute", "minutes" -> 60;
      case "h", "hr", "hrs", "hour", "hours" -> 3_600;
      case "d", "day", "days" -> 86_400;
      case "w", "week", "weeks" -> 604_800;
      default -> NO_UNIT;
    };
  }

  private static long clock(Matcher said, Instant now) {
    ZonedDateTime here = now.atZone(zone(said.group(7)));
    int hour = Integer.parseInt(said.group(4)) % 12;
    boolean afternoon = said.group(6).equalsIgnoreCase("p");
    int minute = said.group(5) == null ? 0 : Integer.parseInt(said.group(5));
    LocalTime time = LocalTime.of(afternoon ? hour + 12 : hour, minute);
    Month month = month(said.group(1));
    if (month == null) {
      ZonedDateTime today = here.with(time);
      return today.isAfter(here.minus(JUST_PASSED))
          ? today.toEpochSecond()
          : today.plusDays(1).toEpochSecond();
    }
    int year = said.group(3) == null ? here.getYear() : Integer.parseInt(said.group(3));
    var date = LocalDate.of(year, month, Integer.parseInt(said.group(2)));
    // Without a year, a day of another half of the year is one around its turn.
    if (said.group(3) == null && date.isBefore(here.toLocalDate().minusMonths(6))) {
      date = date.plusYears(1);
    }
    return date.atTime(time).atZone(here.getZone()).toEpochSecond();
  }

  private static @Nullable Month month(@Nullable String name) {
    for (Month month : Month.values()) {
      if (name != null && month.name().regionMatches(true, 0, name, 0, MONTH_NAME)) {
        return month;
      }
    }
    return null;
  }

  /** The zone that a text names; without one it is this machine's, in which a program prints. */
  private static ZoneId zone(@Nullable String name) {
    try {
      return name == null ? ZoneId.systemDefault() : ZoneId.of(name);
    } catch (DateTimeException e) {
      return ZoneId.systemDefault();
    }
  }
}
