package dev.flyball.triage.item;

import dev.flyball.contract.state.ItemPhase;

/**
 * A snapshot that is exactly the newest one known of its item: all that its decision takes, so that
 * neither the snapshot nor the item's state need be read whole.
 *
 * @param phase the item's phase
 * @param closed whether the snapshot says that no work is wanted
 */
public record Repeat(ItemPhase phase, String revision, String title, boolean closed) {}
