/** The console's projection: Kafka's records folded into one SQLite file. */
@NullMarked
package dev.flyball.ops.console.projection;

import org.jspecify.annotations.NullMarked;
