package dev.flyball.triage.item;

import java.time.Duration;

/**
 * The settings of the machine.
 *
 * @param routing which agent each request asks for
 * @param patience how long a verdict may take until its question is checked, and asked again if the
 *     classifier has skipped it
 * @param reuse how long an agent's session is resumed
 * @param budget the most that an item may cost over its lifetime
 */
public record MachineSettings(
    RetryLimits retry,
    OnNewer onNewer,
    Routing routing,
    Duration patience,
    ItemBudget budget,
    ReuseLimits reuse) {}
