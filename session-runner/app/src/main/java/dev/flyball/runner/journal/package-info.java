/**
 * What survives a runner's death: the data folder that only one runner holds, the rows of its
 * sessions, and the sweep that ends what a dead predecessor left behind.
 */
@NullMarked
package dev.flyball.runner.journal;

import org.jspecify.annotations.NullMarked;
