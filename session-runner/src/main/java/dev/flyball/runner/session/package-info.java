/**
 * One session's life as a pure state machine: clocks, decisions and the one place that names its
 * outcome.
 */
@NullMarked
package dev.flyball.runner.session;

import org.jspecify.annotations.NullMarked;
