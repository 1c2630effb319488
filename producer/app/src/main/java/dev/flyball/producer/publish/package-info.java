/** Writes snapshots, cursors and poll events to Kafka and reads them back. */
@NullMarked
package dev.flyball.producer.publish;

import org.jspecify.annotations.NullMarked;
