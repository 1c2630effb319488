/** When a failing tracker may be asked again. Pure: time is passed in. */
@NullMarked
package dev.flyball.producer.breaker;

import org.jspecify.annotations.NullMarked;
