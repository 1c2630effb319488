/** End-to-end stories: the program as a newcomer starts it, in a process of its own. */
@NullMarked
package dev.flyball.program.newcomer;

import org.jspecify.annotations.NullMarked;
