/**
 * The Kafka Streams edge: reads records into inputs, has the machine decide, and writes the
 * effects.
 */
@NullMarked
package dev.flyball.triage.topology;

import org.jspecify.annotations.NullMarked;
