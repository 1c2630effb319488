/** Who may see and do what on the console. Pure. */
@NullMarked
package dev.flyball.ops.console.access;

import org.jspecify.annotations.NullMarked;
