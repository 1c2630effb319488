/**
 * The classifier and its edge: batches of questions in, verdicts out, each call journaled before
 * its answer is published.
 */
@NullMarked
package dev.flyball.triage.classify;

import org.jspecify.annotations.NullMarked;
