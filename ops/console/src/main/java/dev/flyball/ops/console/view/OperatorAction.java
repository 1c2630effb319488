package dev.flyball.ops.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an operator did, or a runner that paused a provider.
 *
 * @param id unique; the next page begins after it
 * @param who the user or the runner
 * @param what cancel, retry, skip, forget, requeue, redeliver, poll, cap, pause, resume or budget
 * @param target the item, source or scope
 * @param why the reason that was given; for a rejected command why it was rejected
 * @param applied whether it took effect
 * @param detail the new value, or the item's states before and after
 */
public record OperatorAction(
    String id,
    Instant at,
    String who,
    String what,
    String target,
    String why,
    boolean applied,
    @Nullable String detail) {}
