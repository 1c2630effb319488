/**
 * Delivers analyses to their trackers: at least once, and so that a repeat changes nothing. What is
 * done with an analysis is decided without I/O; a loop for each source does it.
 */
@NullMarked
package dev.flyball.writeback;

import org.jspecify.annotations.NullMarked;
