/** What the triage stream asks of a classifier and what it answers. */
@NullMarked
package dev.flyball.contract.triage;

import org.jspecify.annotations.NullMarked;
