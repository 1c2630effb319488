/** Azure DevOps: its interface, its answers, its limits. */
@NullMarked
package dev.flyball.tracker.azure;

import org.jspecify.annotations.NullMarked;
