/** The program as a process, for the stories of {@code newcomer} and {@code story}. */
@NullMarked
package dev.flyball.standalone.program;

import org.jspecify.annotations.NullMarked;
