@NullMarked
package dev.flyball.writeback;

import org.jspecify.annotations.NullMarked;
