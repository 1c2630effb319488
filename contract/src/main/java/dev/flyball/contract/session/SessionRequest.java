package dev.flyball.contract.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The one session that should run for its item now; the value of {@code session-requests}, keyed by
 * the item. A newer record replaces it, a tombstone withdraws it.
 *
 * @param request unique id; outcomes match by it
 * @param attempt 1 for the first
 * @param priority 1 is first
 * @param since when the item began to wait; older ones go first within a priority
 * @param provider scope of rate limits, for example {@code anthropic}; null for an agent without
 *     one
 * @param snapshot what is to be analysed
 * @param verdict why it deserves a session
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SessionRequest(
    String request,
    int attempt,
    int priority,
    Instant since,
    @Nullable String provider,
    Snapshot snapshot,
    Verdict verdict) {}
