package dev.flyball.ops.console.page;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.why.ItemStatus;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One item: why it is where it is, its analysis, its sessions, its timeline.
 *
 * @param status why it is not running, null if only its events are known
 * @param live its session, null if none is live
 */
public record ItemPage(
    String key,
    ItemStory story,
    @Nullable ItemStatus status,
    @Nullable Analysis analysis,
    @Nullable RunningSession live,
    Instant now) {

  /** The item's tenant. */
  public String tenant() {
    return key.replaceAll("/.*", "");
  }

  /** Its title, or its key while the title is unknown. */
  public String title() {
    ItemRow item = story.item();
    return Display.line(item == null ? key : item.title(), Display.TITLE);
  }

  /** The name of its state; empty if it is unknown. */
  public String state() {
    ItemRow item = story.item();
    return item == null ? "" : item.state();
  }

  /** Its place in the tracker; null if that is no web address. */
  public @Nullable String url() {
    ItemRow item = story.item();
    return item == null ? null : PageLinks.tracker(item.url());
  }

  /** Why it is in its state, one line for each reason. */
  public List<String> reasons() {
    ItemRow item = story.item();
    if (status != null && item != null && item.waitingSince() != null && live == null) {
      return Stream.concat(
              status.reasons().stream().anyMatch(it -> it.reason() == ItemStatus.Word.BACKING_OFF)
                  ? Stream.empty()
                  : failed().stream(),
              status.reasons().stream().map(it -> WaitingRow.line(it, now)))
          .toList();
    }
    return item == null || item.reason() == null
        ? List.of()
        : List.of(Display.line(item.reason(), Display.REASON));
  }

  /** How the attempt before failed, of an item that waits for another one; empty for none. */
  private Optional<String> failed() {
    for (ItemStory.Event event : story.events().reversed()) {
      if (event.name().equals("item.changed")) {
        return Optional.empty();
      }
      if (event.ended()) {
        var step = new TimelineStep(event);
        return event.name().equals("session.completed")
            ? Optional.empty()
            : Optional.of(step.headline() + ": " + step.detail());
      }
    }
    return Optional.empty();
  }

  /** The live session as a row; null if there is none. */
  public @Nullable LiveRow row() {
    return live == null ? null : new LiveRow(live, now);
  }

  /** The steps, newest first, without the many that only count on. */
  public List<TimelineStep> steps() {
    return story.events().reversed().stream()
        .filter(it -> !it.name().equals("session.progressed"))
        .map(TimelineStep::new)
        .toList();
  }

  /** Its sessions, newest first. */
  public List<PastSession> sessions() {
    Map<String, PastSession> sessions = new LinkedHashMap<>();
    for (ItemStory.Event event : story.events()) {
      String session = event.session();
      if (session != null) {
        sessions.merge(session, PastSession.of(session, event), PastSession::and);
      }
    }
    return List.copyOf(sessions.values()).reversed();
  }

  /** The analysis split into text and links; empty without one. */
  public List<AnalysisText.Part> prose() {
    return analysis == null ? List.of() : AnalysisText.parts(analysis);
  }

  /** Whether an operator may still cancel or skip it. */
  public boolean open() {
    return List.of("new", "triaging", "queued", "running", "failed").contains(state());
  }

  /** Whether a retry may begin it again. */
  public boolean settled() {
    return List.of("skipped", "analyzed", "failed", "dead", "cancelled").contains(state());
  }
}
