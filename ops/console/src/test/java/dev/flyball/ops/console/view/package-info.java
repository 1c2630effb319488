@NullMarked
package dev.flyball.ops.console.view;

import org.jspecify.annotations.NullMarked;
