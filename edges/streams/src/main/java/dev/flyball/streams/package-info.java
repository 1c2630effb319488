/** Runs one Kafka Streams topology: its settings, its threads' deaths, its health. */
@NullMarked
package dev.flyball.streams;

import org.jspecify.annotations.NullMarked;
