/** What the metrics topic holds: lifecycle events counted in windows of time. Pure. */
@NullMarked
package dev.flyball.contract.metric;

import org.jspecify.annotations.NullMarked;
