@NullMarked
package dev.flyball.sqlite;

import org.jspecify.annotations.NullMarked;
