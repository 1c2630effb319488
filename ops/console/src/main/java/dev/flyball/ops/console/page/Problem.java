package dev.flyball.ops.console.page;

import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.telemetry.Health.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a person should look at: a row above everything else of the first view.
 *
 * @param tone bad or warn
 * @param what is wrong, in a few words
 * @param detail why, and what helps, in one line
 * @param since when; null if that is not known
 * @param href where it can be seen or ended; null if nowhere
 */
public record Problem(
    String tone, String what, String detail, @Nullable Instant since, @Nullable String href) {
  /** Most conditions of services that are listed. */
  private static final int CONDITIONS = 8;

  /** What the services report of themselves and of what only they see, the first ones. */
  static Stream<Problem> reported(Chrome chrome, Set<String> shown) {
    List<Condition> others =
        chrome.reasons().stream()
            .filter(it -> !shown.contains(it.code()) && !shown.contains(it.of()))
            .toList();
    String rest = others.size() - CONDITIONS + " more reasons: see /health";
    return Stream.concat(
        others.stream()
            .limit(CONDITIONS)
            .map(it ->
                new Problem(
                    chrome.tone(),
                    Display.sentence(chrome.status()),
                    Display.line(it.text(), Display.REASON),
                    chrome.since().get(it.cause()),
                    null)),
        Stream.of(new Problem(chrome.tone(), Display.sentence(chrome.status()), rest, null, null))
            .filter(_ -> others.size() > CONDITIONS));
  }

  /** Trackers that cannot be read. */
  static Stream<Problem> sources(List<SourceStatus> sources) {
    return sources.stream()
        .filter(SourceStatus::failing)
        .map(it ->
            new Problem(
                "bad",
                "Cannot read " + Display.line(it.source(), Display.TITLE),
                PollTimes.reason(it),
                it.failingSince(),
                PageLinks.polls(it.source())));
  }

  /** Items that were given up lately, newest first, as one. */
  static Stream<Problem> givenUp(List<ItemRow> dead) {
    return dead.stream()
        .limit(1)
        .map(newest ->
            new Problem(
                "bad",
                dead.size() == 1
                    ? "An item was given up"
                    : Display.grouped(dead.size()) + " items were given up",
                Display.line(newest.title(), Display.TITLE)
                    + (newest.reason() == null
                        ? ""
                        : ": " + Display.line(newest.reason(), Display.REASON)),
                newest.updatedAt(),
                dead.size() == 1 ? PageLinks.item(newest.key()) : "/items?state=dead"));
  }

  /** Sessions whose agents show no progress, as one. */
  static Stream<Problem> silent(List<RunningSession> live, Instant now) {
    List<RunningSession> silent = live.stream().filter(it -> it.silent(now)).toList();
    return silent.stream()
        .limit(1)
        .map(first ->
            new Problem(
                "warn",
                silent.size() == 1
                    ? "A session is silent"
                    : Display.grouped(silent.size()) + " sessions are silent",
                silent.stream()
                    .limit(3)
                    .map(it -> it.title() == null ? it.item() : it.title())
                    .map(it -> Display.line(it, Display.TITLE))
                    .collect(Collectors.joining("; ")),
                silent.stream()
                    .map(RunningSession::progressAt)
                    .filter(it -> it != null)
                    .min(Instant::compareTo)
                    .orElse(null),
                silent.size() == 1 ? PageLinks.log(first.session()) : "#live-sessions"));
  }
}
