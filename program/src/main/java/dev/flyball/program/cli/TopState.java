package dev.flyball.program.cli;

import dev.flyball.ops.console.view.RunningSession;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the live screen shows besides the sessions. Pure: a key gives the next state.
 *
 * @param selected the selected session; it is kept by its id, because rows move when sessions end
 * @param asked what is done if the next key is y
 * @param note the result of what was done last; empty if there is none
 * @param ended the item that was cancelled or skipped last: it is no longer in the list
 */
record TopState(
    @Nullable String selected, @Nullable TopAction asked, String note, @Nullable String ended) {
  static final TopState START = new TopState(null, null, "", null);

  private static final String NONE = "no session is selected";

  /** What follows from a key. */
  record Press(TopState state, @Nullable TopAction act, boolean quit) {}

  /** The row of the selected session, the first one if it has ended; -1 without sessions. */
  int row(List<RunningSession> live) {
    for (int i = 0; i < live.size(); i++) {
      if (live.get(i).session().equals(selected)) {
        return i;
      }
    }
    return live.isEmpty() ? -1 : 0;
  }

  /** The state after a key. */
  Press press(TopAction.Key key, List<RunningSession> live) {
    if (asked != null) {
      return key == TopAction.Key.YES
          ? new Press(new TopState(selected, null, "working ...", ending(asked)), asked, false)
          : stay(new TopState(selected, null, "nothing was changed", ended));
    }
    return switch (key) {
      case QUIT -> new Press(this, null, true);
      case UP -> stay(select(live, -1));
      case DOWN -> stay(select(live, 1));
      case CANCEL ->
          stay(ask(session(live).map(it -> new TopAction.Cancel(it.item(), it.session())), NONE));
      case SKIP -> stay(ask(session(live).map(it -> new TopAction.Skip(it.item())), NONE));
      case RETRY ->
          stay(
              ask(
                  Optional.ofNullable(ended).map(TopAction.Retry::new),
                  "no item was cancelled or skipped here"));
      case RAISE -> stay(asking(new TopAction.Cap(1)));
      case LOWER -> stay(asking(new TopAction.Cap(-1)));
      case PAUSE -> stay(asking(new TopAction.Pause()));
      case RESUME -> stay(asking(new TopAction.Resume()));
      case YES, OTHER -> stay(this);
    };
  }

  /** The state after an action, with its result. */
  TopState done(String result) {
    return new TopState(selected, asked, result, ended);
  }

  private static Press stay(TopState next) {
    return new Press(next, null, false);
  }

  /** The item that an action ends; what was ended before stays the last one otherwise. */
  private @Nullable String ending(TopAction action) {
    return switch (action) {
      case TopAction.Cancel it -> it.item();
      case TopAction.Skip it -> it.item();
      case TopAction.Retry _, TopAction.Cap _, TopAction.Pause _, TopAction.Resume _ -> ended;
    };
  }

  private TopState ask(Optional<? extends TopAction> action, String otherwise) {
    return action.isEmpty() ? new TopState(selected, null, otherwise, ended) : asking(action.get());
  }

  private TopState asking(TopAction action) {
    return new TopState(selected, action, "", ended);
  }

  private Optional<RunningSession> session(List<RunningSession> live) {
    int row = row(live);
    return row < 0 ? Optional.empty() : Optional.of(live.get(row));
  }

  private TopState select(List<RunningSession> live, int by) {
    if (live.isEmpty()) {
      return this;
    }
    int row = Math.clamp(row(live) + (long) by, 0, live.size() - 1);
    return new TopState(live.get(row).session(), null, "", ended);
  }
}
