@NullMarked
package dev.flyball.tracker.paging;

import org.jspecify.annotations.NullMarked;
