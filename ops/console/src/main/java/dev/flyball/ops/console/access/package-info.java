/** Who may see and do what on the console, and how a request shows who sends it. */
@NullMarked
package dev.flyball.ops.console.access;

import org.jspecify.annotations.NullMarked;
