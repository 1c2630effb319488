/** Lifecycle events and agent output on their way to Kafka, secrets redacted. */
@NullMarked
package dev.flyball.runner.events;

import org.jspecify.annotations.NullMarked;
