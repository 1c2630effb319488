/** The one program: every role, run, up. */
@NullMarked
package dev.flyball.standalone;

import org.jspecify.annotations.NullMarked;
