/** Holds the documents of the repository to the code. */
@NullMarked
package dev.flyball.contract.docs;

import org.jspecify.annotations.NullMarked;
