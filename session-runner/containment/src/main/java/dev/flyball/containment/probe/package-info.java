/** Finds the strongest containment that works on this machine, by running each. */
@NullMarked
package dev.flyball.containment.probe;

import org.jspecify.annotations.NullMarked;
