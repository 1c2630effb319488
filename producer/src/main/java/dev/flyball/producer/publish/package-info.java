/** Snapshots, cursors and poll events to Kafka and back. */
@NullMarked
package dev.flyball.producer.publish;

import org.jspecify.annotations.NullMarked;
