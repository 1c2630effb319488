@NullMarked
package dev.flyball.tracker.process;

import org.jspecify.annotations.NullMarked;
