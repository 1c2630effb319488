@NullMarked
package dev.flyball.ops.console.projection;

import org.jspecify.annotations.NullMarked;
