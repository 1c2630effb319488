/** Level B: a supervisor process for each session, and what is left of one that was killed. */
@NullMarked
package dev.flyball.containment.supervisor;

import org.jspecify.annotations.NullMarked;
