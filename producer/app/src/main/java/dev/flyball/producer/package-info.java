/** Polls trackers and publishes what changed. */
@NullMarked
package dev.flyball.producer;

import org.jspecify.annotations.NullMarked;
