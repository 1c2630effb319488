/** {@code run}: one file through the whole pipeline, watched until everything is settled. */
@NullMarked
package dev.flyball.program.run;

import org.jspecify.annotations.NullMarked;
