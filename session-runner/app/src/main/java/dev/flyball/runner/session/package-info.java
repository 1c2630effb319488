/**
 * One session's course as a pure state machine: clocks, decisions and the one place that decides
 * its outcome.
 */
@NullMarked
package dev.flyball.runner.session;

import org.jspecify.annotations.NullMarked;
