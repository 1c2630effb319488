/**
 * The Kafka Streams edge: reads records into inputs, has the machine decide, writes what it wants
 * done.
 */
@NullMarked
package dev.flyball.triage.stream;

import org.jspecify.annotations.NullMarked;
