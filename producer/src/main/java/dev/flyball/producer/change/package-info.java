/** What of a poll is new: pure, no I/O, no clock. */
@NullMarked
package dev.flyball.producer.change;

import org.jspecify.annotations.NullMarked;
