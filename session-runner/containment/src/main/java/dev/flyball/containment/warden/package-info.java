/** The warden in C, compiled where a compiler is found. */
@NullMarked
package dev.flyball.containment.warden;

import org.jspecify.annotations.NullMarked;
