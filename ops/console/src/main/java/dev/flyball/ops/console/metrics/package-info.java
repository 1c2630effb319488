/**
 * Folds lifecycle events into windows of time, without Kafka: what one event adds to which. Pure.
 */
@NullMarked
package dev.flyball.ops.console.metrics;

import org.jspecify.annotations.NullMarked;
