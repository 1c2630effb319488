package dev.flyball.producer.publish;

import dev.flyball.contract.item.Fingerprint;

/**
 * An item that waits for a session or has one, by its request.
 *
 * @param title shortened
 * @param fingerprint of the snapshot that the session reads
 */
public record Outstanding(
    String title, String revision, String type, int priority, Fingerprint fingerprint) {}
