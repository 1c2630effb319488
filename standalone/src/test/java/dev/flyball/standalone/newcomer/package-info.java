/** End-to-end stories: the program as a newcomer starts it, in a process of its own. */
@NullMarked
package dev.flyball.standalone.newcomer;

import org.jspecify.annotations.NullMarked;
