/** How a list of changes is read to its end, in parts, although it shifts meanwhile. */
@NullMarked
package dev.flyball.tracker.paging;

import org.jspecify.annotations.NullMarked;
