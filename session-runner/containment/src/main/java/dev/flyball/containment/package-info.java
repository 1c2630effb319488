/**
 * Starts, watches and ends the processes of sessions. Every started process is accounted for from
 * its start to its end: contained, counted, given a deadman, killed as a tree and verified dead.
 */
@NullMarked
package dev.flyball.containment;

import org.jspecify.annotations.NullMarked;
