/** The Kafka Streams app around the windows: session-events in, the metrics topic out. */
@NullMarked
package dev.flyball.ops.console.metrics.stream;

import org.jspecify.annotations.NullMarked;
