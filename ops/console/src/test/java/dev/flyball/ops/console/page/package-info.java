@NullMarked
package dev.flyball.ops.console.page;

import org.jspecify.annotations.NullMarked;
