@NullMarked
package dev.flyball.ops.console.why;

import org.jspecify.annotations.NullMarked;
