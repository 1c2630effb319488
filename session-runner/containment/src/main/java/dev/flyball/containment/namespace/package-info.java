/** Levels A and A+: a PID namespace for each session. */
@NullMarked
package dev.flyball.containment.namespace;

import org.jspecify.annotations.NullMarked;
