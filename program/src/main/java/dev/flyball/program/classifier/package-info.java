/**
 * Asks a model for triage, one answer for each call: an agent program without tools as a contained
 * process, or an endpoint over HTTP.
 */
@NullMarked
package dev.flyball.program.classifier;

import org.jspecify.annotations.NullMarked;
