@NullMarked
package dev.flyball.tracker.github;

import org.jspecify.annotations.NullMarked;
