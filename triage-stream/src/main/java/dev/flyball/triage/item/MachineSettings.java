package dev.flyball.triage.item;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the machine.
 *
 * @param provider scope of rate limits that requests carry, null for an agent without one
 * @param patience how long a verdict may take until its question is checked, and asked again if the
 *     classifier has skipped it
 * @param budget the most that an item may cost over its lifetime
 */
public record MachineSettings(
    RetryLimits retry,
    OnNewer onNewer,
    @Nullable String provider,
    Duration patience,
    ItemBudget budget) {}
