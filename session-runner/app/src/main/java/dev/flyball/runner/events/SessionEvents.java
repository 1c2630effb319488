package dev.flyball.runner.events;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import java.time.InstantSource;
import java.util.UUID;

/** Creates the events of one session: the same fields under the same names on each. */
public final class SessionEvents {
  private final String source;
  private final ItemKey item;
  private final String session;
  private final EventData common;
  private final InstantSource clock;

  /**
   * Creates the events of one session.
   *
   * @param common session, token, request, item, tenant, revision, runner and attempt
   */
  public SessionEvents(
      String runner, ItemKey item, String session, EventData common, InstantSource clock) {
    this.source = "/runner/" + runner;
    this.item = item;
    this.session = session;
    this.common = common;
    this.clock = clock;
  }

  /** Creates an event with a random id. */
  public LifecycleEvent event(EventType type, EventData data) {
    return of(UUID.randomUUID().toString(), type, data);
  }

  /** The result event. Its id is fixed, so that a repeated send is recognised as the same. */
  public LifecycleEvent result(EventData data) {
    return of(session + "-result", EventType.SESSION_RESULT, data);
  }

  /** Creates a gate event of a runner; it belongs to no item. */
  public static LifecycleEvent gate(
      String runner, EventType type, EventData data, InstantSource clock) {
    return new LifecycleEvent(
        UUID.randomUUID().toString(),
        type,
        "/runner/" + runner,
        "-",
        clock.instant(),
        data.with(Field.RUNNER, runner));
  }

  private LifecycleEvent of(String id, EventType type, EventData data) {
    return new LifecycleEvent(
        id, type, source, item.toString(), clock.instant(), common.withAll(data));
  }
}
