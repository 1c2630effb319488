@NullMarked
package dev.flyball.producer.breaker;

import org.jspecify.annotations.NullMarked;
