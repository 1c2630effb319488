/** Asks an agent program for triage: one contained process for each call, no tools, one answer. */
@NullMarked
package dev.flyball.program.classifier;

import org.jspecify.annotations.NullMarked;
