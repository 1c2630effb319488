/** Metric catalogue, health and the admin endpoint that every app carries. */
@NullMarked
package dev.flyball.ops.telemetry;

import org.jspecify.annotations.NullMarked;
