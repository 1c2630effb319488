@NullMarked
package dev.flyball.tracker;

import org.jspecify.annotations.NullMarked;
