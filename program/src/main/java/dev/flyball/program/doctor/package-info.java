/** Checks what Flyball needs and says how to fix what is missing. */
@NullMarked
package dev.flyball.program.doctor;

import org.jspecify.annotations.NullMarked;
