@NullMarked
package dev.flyball.tracker.text;

import org.jspecify.annotations.NullMarked;
