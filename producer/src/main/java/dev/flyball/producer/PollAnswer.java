package dev.flyball.producer;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import java.time.Instant;
import java.util.Optional;

/**
 * The answer to an operator's command to poll a source.
 *
 * @param type {@code command.done} if the source was polled, else {@code command.refused}
 */
record PollAnswer(EventType type, EventData data) {
  private static final String NEVER = "never";
  private static final String WHOLE = "polled";
  private static final String PART = "polled in part";

  /**
   * What the command's poll did; empty if another poll or producer does the work, which answers for
   * itself.
   *
   * @param before when the source was polled last before the command
   */
  static Optional<PollAnswer> of(
      Command.Poll command, Optional<Instant> before, PollReport report) {
    return switch (report) {
      case PollReport.Finished done ->
          Optional.of(
              new PollAnswer(
                  EventType.COMMAND_DONE,
                  begun(command, before)
                      .with(Field.REASON, command.why())
                      .with(Field.AFTER, done.more() ? PART : WHOLE)
                      .with(Field.POLL, done.poll())
                      .with(Field.POLLED, done.items())
                      .with(Field.CHANGED, done.changed())
                      .with(Field.DUPLICATES, done.duplicates())
                      .with(Field.INVALID, done.invalid().size())));
      case PollReport.Skipped skipped ->
          skipped.whyNot().elsewhere()
              ? Optional.empty()
              : Optional.of(refused(command, before, skipped.whyNot().reason()));
      case PollReport.Failed failed -> Optional.of(refused(command, before, failed.reason()));
    };
  }

  static PollAnswer refused(Command.Poll command, Optional<Instant> before, String reason) {
    return new PollAnswer(
        EventType.COMMAND_REFUSED, begun(command, before).with(Field.REASON, reason));
  }

  private static EventData begun(Command.Poll command, Optional<Instant> before) {
    return EventData.EMPTY
        .with(Field.COMMAND, command.word())
        .with(Field.COMMAND_ID, command.id())
        .with(Field.WHO, command.who())
        .with(Field.BEFORE, before.map(Instant::toString).orElse(NEVER));
  }
}
