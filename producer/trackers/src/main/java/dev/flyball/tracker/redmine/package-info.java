/** Redmine: its interface, its answers, its limits. */
@NullMarked
package dev.flyball.tracker.redmine;

import org.jspecify.annotations.NullMarked;
