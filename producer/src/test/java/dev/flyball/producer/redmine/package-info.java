/** Producers, in processes of their own, over a real Redmine. */
@NullMarked
package dev.flyball.producer.redmine;

import org.jspecify.annotations.NullMarked;
