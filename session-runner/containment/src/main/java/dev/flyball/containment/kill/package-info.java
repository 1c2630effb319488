/** Ends a process tree step by step and verifies that nothing of it is left. */
@NullMarked
package dev.flyball.containment.kill;

import org.jspecify.annotations.NullMarked;
