/** Why an item is not running: decided from its state and the ledger's fold, nothing else. */
@NullMarked
package dev.flyball.ops.console.why;

import org.jspecify.annotations.NullMarked;
