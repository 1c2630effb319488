/** A work item's key, one snapshot of it, and the fingerprint that decides whether it changed. */
@NullMarked
package dev.flyball.contract.item;

import org.jspecify.annotations.NullMarked;
