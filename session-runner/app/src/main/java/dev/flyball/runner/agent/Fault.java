package dev.flyball.runner.agent;

import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.OneLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an agent's error shows, where it shows more than that the agent failed: the provider rejects
 * or cannot answer, this runner or its settings are at fault, or the conversation itself is. Only
 * texts of the program are read for it, never an answer: an item may be about rate limits.
 *
 * <p>What the provider said is known for a failure of {@link Kind#PROVIDER} only.
 *
 * @param epochSecond when it answers again, in seconds since 1970; 0 if only its text may say so
 * @param said its text, for example {@code You've hit your weekly limit, resets Dec 4 at 1am (UTC)}
 * @param ofModel whether only one model is limited, and the provider's others answer
 */
public record Fault(Failure failure, long epochSecond, String said, boolean ofModel) {
  /** The provider rejects calls for now. */
  static final String LIMIT = "provider-limit";

  /** The provider cannot answer for now. */
  static final String OUTAGE = "provider-outage";

  /** The account has no money or quota left: a person has to act. */
  static final String EXHAUSTED = "account-exhausted";

  /** What error texts mean; the first that matches counts. */
  private static final List<Meaning> MEANINGS = meanings("faults.txt");

  /** An empty account at OpenAI. Google uses the same text for limits of a minute or a day. */
  private static final Pattern QUOTA = pattern("exceeded your current quota|billing details");

  private static final Pattern LATER =
      pattern(
          "resource_exhausted|retry.?(?:in|after|delay)|try again (?:in|at)"
              + "|per.?(?:minute|day|hour)");

  /** Limits of one model at Anthropic; the others go on. */
  private static final Pattern OF_MODEL = pattern("\\b(?:opus|sonnet|haiku)\\b(?: \\w+)? limit");

  private static final Pattern STATUS =
      pattern("(?:status|error|code|http)(?: code)?\\W{0,4}([45]\\d\\d)\\b");

  /** The program itself is broken: what a shell and a loader say before it has begun. */
  private static final Pattern PROGRAM =
      pattern(
          "error while loading shared libraries|glibc_\\d|cannot find module|exec format"
              + " error|illegal instruction|command not found|env: .{0,80}no such file|node\\.js"
              + " version");

  static final Fault INVALID = new Fault(new Failure(Kind.PERMANENT, "invalid-request"));

  /** How many characters of an error text are searched. */
  private static final int LOOKED_AT = 4096;

  private static final int ILLEGAL_INSTRUCTION = 4;

  /** How Claude Code ended its text until 2025: {@code ...usage limit reached|1790000000}. */
  private static final Pattern EPOCH = Pattern.compile("\\|(\\d{10})(\\d{3})?\\b");

  private static final Pattern ISO =
      Pattern.compile("\\b(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(?:\\.\\d+)?Z");

  /** A time to wait: {@code reset after 7h12m34s}, {@code try again in 3 hours 4 minutes}. */
  private static final Pattern SPAN =
      pattern(
          "(?:\\b(?:in|after|about)|delay)\\W{1,4}"
              + "((?:\\d+(?:\\.\\d+)?\\s*[a-z]+[,\\s]*(?:and\\s+)?)+)");

  private static final Pattern PART = pattern("(\\d+(?:\\.\\d+)?)\\s*([a-z]+)");

  /** A time of day, perhaps of a date: {@code resets Dec 4, 2026, 1:30am (Europe/Berlin)}. */
  private static final Pattern CLOCK =
      pattern(
          "\\b(?:resets?|again|available|until|retry)\\b[^|\\d]{0,20}?(?:\\b([a-z]{3})[a-z]*\\.?"
              + " (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?,?\\s*(?:at )?)?"
              + "(\\d{1,2})(?::(\\d\\d))?\\s*([ap])\\.?m\\b\\.?(?:\\s*\\(?([A-Z]\\w+(?:/\\w+)*)\\)?)?");

  /** A time of day that has just passed on this clock is one that is about to come on another. */
  private static final Duration JUST_PASSED = Duration.ofMinutes(10);

  private static final int MONTH_NAME = 3;
  private static final double NO_UNIT = 0;

  /** A failure of which no provider said anything. */
  Fault(Failure failure) {
    this(failure, 0, "", false);
  }

  private record Meaning(Failure failure, Pattern text) {}

  private static List<Meaning> meanings(String resource) {
    try (var in = Objects.requireNonNull(Fault.class.getResourceAsStream(resource))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" ", 3))
          .map(it -> new Meaning(new Failure(Kind.ofLabel(it[0]), it[1]), pattern(it[2])))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What an error text of an agent means; empty if it says only that the agent failed. */
  static Optional<Fault> in(String complaint) {
    String said = OneLine.start(complaint, LOOKED_AT);
    boolean empty = QUOTA.matcher(said).find() && !LATER.matcher(said).find();
    if (empty) {
      return ofProvider(EXHAUSTED, said);
    }
    Matcher named = STATUS.matcher(said);
    int status = named.find() ? Integer.parseInt(named.group(1)) : 0;
    return meaning(said, true)
        .or(() -> status(status, said))
        .or(() -> meaning(said, false))
        .or(() -> rejected(status));
  }

  /** By the texts of a provider, or else by those of this machine and its settings. */
  private static Optional<Fault> meaning(String said, boolean provider) {
    return MEANINGS.stream()
        .filter(each -> provider != (each.failure().kind() == Kind.RUNNER))
        .filter(each -> each.text().matcher(said).find())
        .findFirst()
        .map(each -> of(each.failure(), said));
  }

  /** What an HTTP status of the provider means; empty where it depends on the text. */
  static Optional<Fault> status(int status, String said) {
    return switch (status) {
      case 401, 403 -> ofRunner("agent-login");
      case 407 -> ofRunner("agent-network");
      case 402 -> ofProvider(EXHAUSTED, said);
      case 413 -> Optional.of(of(new Failure(Kind.POISON, Failure.PROMPT_TOO_LONG), said));
      case 429 -> ofProvider(LIMIT, said);
      default -> status >= 500 ? ofProvider(OUTAGE, said) : Optional.empty();
    };
  }

  /** What a failed call means, by its status where that says it, else by its text. */
  static Optional<Fault> ofCall(int status, String said) {
    return status(status, said).or(() -> in(said)).or(() -> rejected(status));
  }

  /** By a status that says little: an address that is wrong, or a request that never succeeds. */
  private static Optional<Fault> rejected(int status) {
    return switch (status) {
      case 400, 422 -> Optional.of(INVALID);
      case 404 -> ofRunner("agent-settings");
      default -> Optional.empty();
    };
  }

  /** What the end of standard error means without a result; a repeated failed call is no end. */
  static Optional<Fault> atEnd(String stderrTail) {
    return in(
        stderrTail
            .lines()
            .filter(line -> !line.toLowerCase(Locale.ROOT).matches(".*(?:retrying|reconnecting).*"))
            .reduce("", (all, line) -> all + line + "\n"));
  }

  /** Whether a program that printed nothing could not even begin. */
  static Optional<Fault> ofProgram(int code, int signal, String stderrTail) {
    boolean broken =
        code == 126
            || code == 127
            || signal == ILLEGAL_INSTRUCTION
            || (code != 0 && PROGRAM.matcher(stderrTail).find());
    return broken ? ofRunner("agent-program") : Optional.empty();
  }

  /** A provider's limit that ends then, in seconds since 1970, or 0 if only its text says when. */
  static Fault limit(long until, String said, boolean ofModel) {
    return new Fault(provider(LIMIT), until, said, ofModel || OF_MODEL.matcher(said).find());
  }

  static Optional<Fault> ofRunner(String code) {
    return Optional.of(new Fault(runner(code)));
  }

  /** A fault of the provider, which said this. */
  static Optional<Fault> ofProvider(String code, String said) {
    return Optional.of(of(provider(code), said));
  }

  static Failure runner(String code) {
    return new Failure(Kind.RUNNER, code);
  }

  /**
   * What a session has met, where it met the other one before: the longer of both. An empty account
   * stays empty, and a limit of one model stays one.
   */
  Fault after(@Nullable Fault earlier) {
    if (earlier == null || !isProviders() || !earlier.isProviders()) {
      return this;
    }
    return new Fault(
        earlier.failure.code().equals(EXHAUSTED) ? earlier.failure : failure,
        Math.max(earlier.epochSecond, epochSecond),
        earlier.epochSecond > 0 || said.isEmpty() ? earlier.said : said,
        earlier.ofModel || ofModel);
  }

  boolean isProviders() {
    return failure.kind() == Kind.PROVIDER;
  }

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
      return readUntil(now);
    } catch (DateTimeException | ArithmeticException e) {
      // A text of a program may name any time: a 31st of February, a zone that does not exist.
      return 0;
    }
  }

  private long readUntil(Instant now) {
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

  private static Fault of(Failure failure, String said) {
    return failure.kind() == Kind.PROVIDER
        ? new Fault(failure, 0, said, OF_MODEL.matcher(said).find())
        : new Fault(failure);
  }

  private static Failure provider(String code) {
    return new Failure(Kind.PROVIDER, code);
  }

  private static Pattern pattern(String text) {
    return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
  }
}
