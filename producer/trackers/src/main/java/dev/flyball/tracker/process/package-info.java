/**
 * How a tracker's own command line is run: with a limit for everything, and no process left of it.
 */
@NullMarked
package dev.flyball.tracker.process;

import org.jspecify.annotations.NullMarked;
