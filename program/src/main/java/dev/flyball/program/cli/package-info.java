/** The command line: one class for each command, and how answers are printed. */
@NullMarked
package dev.flyball.program.cli;

import org.jspecify.annotations.NullMarked;
