@NullMarked
package dev.flyball.ops.console.output;

import org.jspecify.annotations.NullMarked;
