/**
 * The session ledger: its entries and the fold that turns them into permits, leases and fences
 * (design: one log is the only authority, and no wall clock decides a lease).
 */
@NullMarked
package dev.flyball.contract.ledger;

import org.jspecify.annotations.NullMarked;
