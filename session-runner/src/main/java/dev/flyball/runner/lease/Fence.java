package dev.flyball.runner.lease;

/**
 * Until when a session may live; nanoseconds on the runner's elapsed clock.
 *
 * @param confirmedAt read before the send of the newest renewal (or the claim) seen to take effect
 * @param fenceAt when the runner kills it; final
 * @param deadmanAt when the deadman outside this JVM kills it
 */
public record Fence(long confirmedAt, long fenceAt, long deadmanAt) {}
