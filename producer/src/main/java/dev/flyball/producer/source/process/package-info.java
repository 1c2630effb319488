/**
 * How a tracker's own command line is run: with a limit for everything, and no process left of it.
 */
@NullMarked
package dev.flyball.producer.source.process;

import org.jspecify.annotations.NullMarked;
