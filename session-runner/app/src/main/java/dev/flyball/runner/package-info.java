/** Claims requests and runs agent sessions under the ledger's cap. */
@NullMarked
package dev.flyball.runner;

import org.jspecify.annotations.NullMarked;
