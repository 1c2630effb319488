/** How answers are printed: tables, safe text, exit codes. */
@NullMarked
package dev.flyball.program.terminal;

import org.jspecify.annotations.NullMarked;
