package dev.flyball.producer.history;

import dev.flyball.contract.item.ItemKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far the waiting and running items of a source were looked at again.
 *
 * @param began when the newest round began
 * @param last the item up to which it came; null if it is over
 */
public record RevisitMark(Instant began, @Nullable ItemKey last) {}
