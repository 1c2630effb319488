@NullMarked
package dev.flyball.ops.console.access;

import org.jspecify.annotations.NullMarked;
