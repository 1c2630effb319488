/** The program as a process, for the stories of {@code newcomer} and {@code story}. */
@NullMarked
package dev.flyball.program.launch;

import org.jspecify.annotations.NullMarked;
