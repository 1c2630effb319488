/** The one program: every role, run, up. */
@NullMarked
package dev.flyball.program;

import org.jspecify.annotations.NullMarked;
