@NullMarked
package dev.flyball.ops.console.metrics;

import org.jspecify.annotations.NullMarked;
