package dev.flyball.producer.history;

import dev.flyball.contract.item.ItemKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far the waiting and running items of a source were checked again.
 *
 * @param began when the newest round began
 * @param last the last item checked; null if the round is complete
 */
public record RevisitMark(Instant began, @Nullable ItemKey last) {}
