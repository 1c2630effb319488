/** Producers, in separate processes, over a real Redmine. */
@NullMarked
package dev.flyball.producer.redmine;

import org.jspecify.annotations.NullMarked;
