/** What producers share about a source: which producer polls it and how far it was read. */
@NullMarked
package dev.flyball.contract.poll;

import org.jspecify.annotations.NullMarked;
