/** Holds requests to receivers to the standard. */
@NullMarked
package dev.flyball.contract.webhook;

import org.jspecify.annotations.NullMarked;
