package dev.flyball.contract.triage;

import dev.flyball.contract.item.Snapshot;

/**
 * One item to classify; the value of {@code triage-requests}. Its verdict repeats the unique id; an
 * answer to an older question is ignored.
 */
public record TriageRequest(String triage, Snapshot snapshot) {}
