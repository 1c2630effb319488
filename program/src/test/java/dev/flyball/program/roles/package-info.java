@NullMarked
package dev.flyball.program.roles;

import org.jspecify.annotations.NullMarked;
