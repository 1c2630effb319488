package dev.flyball.ops.console.notify.rule;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Labelled;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.Health.Condition;
import dev.flyball.ops.telemetry.HealthReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
  public enum Kind implements Labelled {
    /** An item was given up. */
    DEAD,
    /** An agent has been silent for long. */
    HUNG,
    /** An agent has analyzed an item. */
    ANALYSIS,
    /** A person has to act. */
    TROUBLE,
    /** Only for {@code flyball notify test}, and for how much was held back. */
    NOTICE;

    /** Whether it must not wait until messages of other kinds are sent. */
    public boolean alarm() {
      return this == TROUBLE;
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

  /** The notifications that follow from an event, usually none. */
  public static List<Notification> of(LifecycleEvent event) {
    var all = new ArrayList<Notification>();
    EventData data = event.data();
    String reason = data.text(Field.REASON).orElse("");
    long survivors = survivors(data);
    if (survivors > 0) {
      String line =
          survivors
              + " alive after session "
              + data.text(Field.SESSION).orElse("-")
              + "; end them with ./flyball sweep on the runner's machine";
      all.add(about(event, Kind.TROUBLE, "Processes outlive their session", line));
    }
    switch (event.type()) {
      case ITEM_DEAD_LETTERED -> all.add(about(event, Kind.DEAD, "Item was given up", reason));
      case SESSION_HUNG -> all.add(about(event, Kind.HUNG, "Session is silent", reason));
      case SESSION_COMPLETED -> all.add(about(event, Kind.ANALYSIS, "Analysis is ready", reason));
      case SESSION_PROGRESSED -> {
        // Only a tree above sessions.processes.warn has a reason.
        if (!reason.isEmpty()) {
          all.add(about(event, Kind.TROUBLE, "Session has many processes", reason));
        }
      }
      case BUDGET_EXHAUSTED -> all.add(about(event, Kind.TROUBLE, "Budget is spent", reason));
      default -> {}
    }
    return all;
  }

  /** About the event's item, or about its scope of the budget. */
  private static Notification about(
      LifecycleEvent event, Kind kind, String headline, String detail) {
    String scope = event.data().text(Field.SCOPE).orElse("");
    String subject = scope.isEmpty() ? event.subject() : scope;
    String tenant = scope.isEmpty() ? TenantScope.tenantOf(subject) : Scope.tenantOf(scope);
    return new Notification(
        event.id() + "-" + kind.label(),
        kind,
        headline,
        subject,
        tenant.isEmpty() ? null : tenant,
        headline,
        event.data().text(Field.TITLE).orElse(""),
        detail,
        event.time());
  }

  private static long survivors(EventData data) {
    try {
      return data.survivors().orElse(0);
    } catch (UnreadableRecord e) {
      // The field beside the receipt may still have the number.
      return data.number(Field.SURVIVORS).orElse(0);
    }
  }

  /** What makes two notifications the same. */
  public String key() {
    return kind.label() + "|" + cause + "|" + subject;
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

  /**
   * Which notifications follow from a process's health: each of its conditions that lasts, once
   * until it ends, and a broken invariant immediately. One owner.
   */
  public static final class OfHealth {
    /** How long a condition lasts before it is sent: a shorter one is over before one looks. */
    private static final Duration LASTING = Duration.ofMinutes(1);

    /** When each condition in force is sent; {@link Instant#MAX} after that. */
    private final Map<String, Instant> due = new HashMap<>();

    /** Takes the health of now; returns what is to be sent. */
    public List<Notification> news(HealthReport health, Instant now) {
      // A process that starts is healthy, and says what it waits for.
      List<Condition> conditions = health.status().equals("healthy") ? List.of() : health.reasons();
      due.keySet().retainAll(conditions.stream().map(Condition::cause).toList());
      var news = new ArrayList<Notification>();
      for (Condition each : conditions) {
        boolean broken = each.code().equals(BrokenInvariant.CODE);
        Instant at = due.computeIfAbsent(each.cause(), _ -> broken ? now : now.plus(LASTING));
        if (!now.isBefore(at)) {
          due.put(each.cause(), Instant.MAX);
          byte[] id = (now + each.cause()).getBytes(StandardCharsets.UTF_8);
          String headline = broken ? "Invariant is broken" : "Health is " + health.status();
          news.add(
              ofSystem(
                  "trouble-" + UUID.nameUUIDFromBytes(id),
                  Kind.TROUBLE,
                  each.cause(),
                  headline,
                  each.text(),
                  now));
        }
      }
      return news;
    }
  }
}
