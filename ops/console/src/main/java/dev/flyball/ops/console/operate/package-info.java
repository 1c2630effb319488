/** What operators change: entries of the ledger, each with who and why. */
@NullMarked
package dev.flyball.ops.console.operate;

import org.jspecify.annotations.NullMarked;
