@NullMarked
package dev.flyball.sqlite.broken;

import org.jspecify.annotations.NullMarked;
