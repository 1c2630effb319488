/** Where work items are read from. */
@NullMarked
package dev.flyball.producer.source;

import org.jspecify.annotations.NullMarked;
