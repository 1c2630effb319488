/**
 * Runners, witnesses, agents, triage, a log and a network in one thread, driven by seeded schedules
 * of faults. The ledger's fold and the runners' participant are the real ones; what is watched are
 * the lifetimes of the agents' trees.
 */
@NullMarked
package dev.flyball.runner.protocol.simulation;

import org.jspecify.annotations.NullMarked;
