@NullMarked
package dev.flyball.ops.console.notify.rule;

import org.jspecify.annotations.NullMarked;
