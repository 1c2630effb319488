/** Jira Cloud: its interface, its answers, its limits. */
@NullMarked
package dev.flyball.tracker.jira;

import org.jspecify.annotations.NullMarked;
