/** What operators change: entries of the ledger and commands on items, each with who and why. */
@NullMarked
package dev.flyball.ops.console.operate;

import org.jspecify.annotations.NullMarked;
