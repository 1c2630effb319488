/** Projects events into what people read; decides nothing. */
@NullMarked
package dev.flyball.ops.console;

import org.jspecify.annotations.NullMarked;
