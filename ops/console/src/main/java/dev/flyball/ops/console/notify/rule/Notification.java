package dev.flyball.ops.console.notify.rule;

import dev.flyball.contract.text.OneLine;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One message for a person. Foreign text in it is one short line without control characters.
 *
 * @param id the same for each try, so that a receiver recognizes a repeat
 * @param cause what makes two the same besides kind and subject; constant for each cause
 * @param subject item key, a budget's scope, or {@code -}
 * @param tenant the tenant that it concerns; null for the whole system
 * @param headline what happened, in words of our own
 * @param title the item's title; empty if it is not known
 * @param detail the reason; empty if there is none
 */
public record Notification(
    String id,
    Kind kind,
    String cause,
    String subject,
    @Nullable String tenant,
    String headline,
    String title,
    String detail,
    Instant at) {
  /** What a target can be notified of. */
  public enum Kind {
    /** An item was given up. */
    DEAD,
    /** An agent has been silent for long. */
    HUNG,
    /** An agent has analyzed an item. */
    ANALYSIS,
    /**
     * A person has to act: health is bad, an invariant broken, processes survive, a budget spent.
     */
    TROUBLE,
    /** Only for {@code flyball notify test}, and for how much was held back. */
    NOTICE;

    /** The value of {@code on} in the configuration and in messages. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int MOST_TITLE = 200;
  private static final int MOST_DETAIL = 500;
  private static final int MOST_SUBJECT = 300;

  /** Control characters, line ends, marks that reorder text, and halves of characters. */
  private static final String HARMFUL =
      "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\s]+";

  public Notification {
    subject = clean(subject, MOST_SUBJECT);
    title = clean(title, MOST_TITLE);
    detail = clean(detail, MOST_DETAIL);
  }

  /** A notification about the whole system. */
  public static Notification ofSystem(
      String id, Kind kind, String cause, String headline, String detail, Instant at) {
    return new Notification(id, kind, cause, "-", null, headline, "", detail, at);
  }

  /** What makes two notifications the same. */
  public String key() {
    return kind.label() + "|" + cause + "|" + subject;
  }

  /** Whether a person has to act; such messages have a separate quota. */
  public boolean isAlarm() {
    return kind == Kind.TROUBLE;
  }

  /** Whether the subject is an item, {@code tenant/source/id}, which has a page in the console. */
  public boolean item() {
    return tenant != null && subject.matches("[^/]*/[^/]*/.*");
  }

  /** The same without what only readers of the whole system may see. */
  public Notification withoutDetail() {
    return new Notification(id, kind, cause, subject, tenant, headline, "", "", at);
  }

  /** Cut before it is cleaned, so that a megabyte costs no time, and then to its length. */
  private static String clean(String text, int most) {
    String line = OneLine.start(text, 4 * most).replaceAll(HARMFUL, " ").strip();
    return line.length() <= most ? line : OneLine.start(line, most - 3) + "...";
  }
}
