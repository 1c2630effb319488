package dev.flyball.contract.event;

import java.time.Instant;

/**
 * A CloudEvents 1.0 event in binary mode: the envelope is in {@code ce_} headers, the data is the
 * record's value.
 *
 * @param id unique; {@code <session>-end} for a terminal
 * @param source {@code /runner/<id>}, {@code /triage}, {@code /producer/<id>}, {@code /write-back}
 *     or {@code /console}
 * @param subject item key, {@code tenant/source} for poll and breaker events, {@code -} for gate
 *     and budget events; also the record's key
 */
public record LifecycleEvent(
    String id, EventType type, String source, String subject, Instant time, EventData data) {}
