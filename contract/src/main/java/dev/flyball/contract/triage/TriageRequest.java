package dev.flyball.contract.triage;

import dev.flyball.contract.item.Snapshot;

/**
 * One item to classify; the value of {@code triage-requests}.
 *
 * @param triage unique id of this question; its verdict repeats it, and an answer to an older
 *     question is ignored
 */
public record TriageRequest(String triage, Snapshot snapshot) {}
