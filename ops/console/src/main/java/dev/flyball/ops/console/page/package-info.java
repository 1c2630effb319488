/** What the console's pages show: records that templates read. Pure. */
@NullMarked
package dev.flyball.ops.console.page;

import org.jspecify.annotations.NullMarked;
