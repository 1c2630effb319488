/** Triage questions to a classifier, and its verdicts. */
@NullMarked
package dev.flyball.contract.triage;

import org.jspecify.annotations.NullMarked;
