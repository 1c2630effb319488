package dev.flyball.ops.console.why;

import org.jspecify.annotations.Nullable;

/**
 * The request that waits for a session, as far as the ledger asks about it.
 *
 * @param request its id
 * @param provider its model's provider, null for an agent without one
 */
public record Wanted(String request, @Nullable String provider) {}
