@NullMarked
package dev.flyball.ops.console.operate;

import org.jspecify.annotations.NullMarked;
