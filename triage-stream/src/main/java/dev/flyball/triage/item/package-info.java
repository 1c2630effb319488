/** The item's state machine: pure decisions, without Kafka, I/O, threads or clocks. */
@NullMarked
package dev.flyball.triage.item;

import org.jspecify.annotations.NullMarked;
