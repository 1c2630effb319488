/** Folds snapshots into item states and decides which sessions should run. */
@NullMarked
package dev.flyball.triage;

import org.jspecify.annotations.NullMarked;
