/** The control groups of level A+: where this machine allows them, and those of one session. */
@NullMarked
package dev.flyball.containment.cgroup;

import org.jspecify.annotations.NullMarked;
