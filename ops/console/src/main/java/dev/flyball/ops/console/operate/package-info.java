/**
 * What operators change: entries of the ledger and commands on items, each with the operator's name
 * and reason.
 */
@NullMarked
package dev.flyball.ops.console.operate;

import org.jspecify.annotations.NullMarked;
