/** Benchmarks: ratios taken in one run are the gate. */
@NullMarked
package dev.flyball.bench;

import org.jspecify.annotations.NullMarked;
