/** The console's pages: plain HTML without scripts. Pure. */
@NullMarked
package dev.flyball.ops.console.page;

import org.jspecify.annotations.NullMarked;
