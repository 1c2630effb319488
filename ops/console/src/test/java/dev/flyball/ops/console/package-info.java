@NullMarked
package dev.flyball.ops.console;

import org.jspecify.annotations.NullMarked;
