/**
 * One session from its effective claim to its closed journal row: threads, streams, the agent's
 * process and its end.
 */
@NullMarked
package dev.flyball.runner.execution;

import org.jspecify.annotations.NullMarked;
