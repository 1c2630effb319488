package dev.flyball.ops.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session that the projection knows.
 *
 * @param since when it was claimed; null if that is no longer kept
 * @param live whether its lease is open
 */
public record KnownSession(String session, String item, @Nullable Instant since, boolean live) {}
