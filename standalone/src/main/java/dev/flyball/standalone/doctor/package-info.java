/** Looks at what Flyball needs and says how to mend what is missing. */
@NullMarked
package dev.flyball.standalone.doctor;

import org.jspecify.annotations.NullMarked;
