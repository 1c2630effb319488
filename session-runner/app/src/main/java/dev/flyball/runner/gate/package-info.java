/**
 * Decides whether this machine may start another session: a pure decision, and the readings that it
 * needs.
 */
@NullMarked
package dev.flyball.runner.gate;

import org.jspecify.annotations.NullMarked;
