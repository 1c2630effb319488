/** An agent's own output, read back from its topic. */
@NullMarked
package dev.flyball.ops.console.output;

import org.jspecify.annotations.NullMarked;
