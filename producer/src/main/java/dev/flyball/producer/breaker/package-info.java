/** When a tracker that fails is asked again: pure, time is passed in. */
@NullMarked
package dev.flyball.producer.breaker;

import org.jspecify.annotations.NullMarked;
