@NullMarked
package dev.flyball.tracker.azure;

import org.jspecify.annotations.NullMarked;
