/** Where work items are read from. */
@NullMarked
package dev.flyball.tracker;

import org.jspecify.annotations.NullMarked;
