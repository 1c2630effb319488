/** Why an item is not running: decided only from its state and the ledger's fold. */
@NullMarked
package dev.flyball.ops.console.why;

import org.jspecify.annotations.NullMarked;
