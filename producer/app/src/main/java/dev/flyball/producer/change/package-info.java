/** Which items of a poll are new. Pure: no I/O, no clock. */
@NullMarked
package dev.flyball.producer.change;

import org.jspecify.annotations.NullMarked;
