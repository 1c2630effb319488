@NullMarked
package dev.flyball.runner.workspace;

import org.jspecify.annotations.NullMarked;
