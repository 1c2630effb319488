package dev.flyball.runner.journal;

import dev.flyball.containment.ContainedProcess.Identity;
import java.util.Optional;

/**
 * A session that was opened and not closed.
 *
 * @param session its id, also the cookie of its processes
 * @param item key of its item
 * @param token its fencing token as text
 * @param level label of its containment
 * @param owner the runner that opened it
 * @param process its outermost process; empty if it was not started, or if the runner crashed while
 *     starting it
 * @param startedAt epoch milliseconds
 */
public record JournalRow(
    String session,
    String item,
    String token,
    String level,
    Identity owner,
    Optional<Identity> process,
    long startedAt) {}
