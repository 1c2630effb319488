/** The index of waiting requests: which request to run next, fairly, in little memory. */
@NullMarked
package dev.flyball.runner.queue;

import org.jspecify.annotations.NullMarked;
