/** The only place that turns records into one-line JSON and back. */
@NullMarked
package dev.flyball.contract.json;

import org.jspecify.annotations.NullMarked;
