/** GitHub: its interface, its answers, its limits. */
@NullMarked
package dev.flyball.tracker.github;

import org.jspecify.annotations.NullMarked;
