@NullMarked
package dev.flyball.standalone.role;

import org.jspecify.annotations.NullMarked;
