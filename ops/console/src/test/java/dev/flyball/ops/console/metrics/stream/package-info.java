@NullMarked
package dev.flyball.ops.console.metrics.stream;

import org.jspecify.annotations.NullMarked;
