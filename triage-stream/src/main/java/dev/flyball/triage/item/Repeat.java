package dev.flyball.triage.item;

/**
 * A snapshot that is exactly the newest one known of its item: all that its decision takes, so that
 * neither the snapshot nor the item's state need be read whole.
 *
 * @param phase the word of the item's phase
 * @param closed whether the snapshot of a closed item says that no work is wanted; false for other
 *     phases, where it makes no difference
 */
public record Repeat(String phase, String revision, String title, boolean closed) {}
