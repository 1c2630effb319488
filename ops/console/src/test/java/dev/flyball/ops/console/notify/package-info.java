@NullMarked
package dev.flyball.ops.console.notify;

import org.jspecify.annotations.NullMarked;
