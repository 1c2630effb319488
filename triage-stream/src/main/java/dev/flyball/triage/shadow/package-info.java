/** Compares what triage decided with what another configuration would have decided. */
@NullMarked
package dev.flyball.triage.shadow;

import org.jspecify.annotations.NullMarked;
