/**
 * How requests are sent to trackers by HTTP: with a limit for everything, and a category for every
 * failure.
 */
@NullMarked
package dev.flyball.tracker.http;

import org.jspecify.annotations.NullMarked;
