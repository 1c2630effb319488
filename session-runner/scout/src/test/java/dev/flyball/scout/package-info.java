/** Tests of the bundled agent that needs no model. */
@NullMarked
package dev.flyball.scout;

import org.jspecify.annotations.NullMarked;
